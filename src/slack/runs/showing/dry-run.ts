/** Answers `--dry-run` with what would be sent, and where each value comes from. */

import {
  type ConfigField,
  configFields,
  fieldLabels,
  originText,
  type ResolvedConfig,
} from '../../configuration/run-defaults.ts';
import { withoutSecrets } from '../../configuration/without-secrets.ts';
import { code, escapeText } from '../../text/escape-text.ts';
import { titleFrom } from './run-label.ts';

type DryRun = {
  prompt: string;
  title: string;
  /** Sentence that says how much of the thread the prompt includes. Undefined if it includes none. */
  context?: string | undefined;
  /** Reason why the run would be blocked. */
  denial?: string | undefined;
} & ResolvedConfig;

export function dryRunText(dryRun: DryRun): string {
  const { prompt, title, context, denial, config, fields } = dryRun;
  const isSet = (field: ConfigField) => config[field] !== undefined;
  const lines = configFields.filter(isSet).map((field) => {
    const value = config[field];
    const text = typeof value === 'string' ? value : JSON.stringify(withoutSecrets(value, true));
    return `• ${fieldLabels[field]}: ${code(text, 300)} (${escapeText(originText(fields[field] ?? 'typed'), 100)})`;
  });
  // Leave out an unset connection, because most workspaces have only one.
  const unset = configFields
    .filter((field) => !isSet(field) && field !== 'connection' && field !== 'environment_id')
    .map((field) => fieldLabels[field].replace(/^[A-Z](?=[a-z])/, (it) => it.toLowerCase()));
  return [
    ...(denial ? [`⚠️ *This run would be blocked.* ${denial}`] : []),
    '*Nothing was started.* A run would use:',
    `• Prompt: ${prompt ? `${code(prompt, 500)} (${[...prompt].length.toLocaleString('en')} characters)` : 'none yet'}`,
    ...(context ? [`• From Slack: ${context}`] : []),
    `• Title: ${code(titleFrom(title || prompt), 150)} (${title ? 'typed' : 'first line of the prompt'})`,
    ...(isSet('environment_id') ? [] : ['• Environment: chosen by the runs service']),
    ...lines,
    ...(unset.length > 0 ? [`• Not set: ${unset.join(', ')}`] : []),
    'To start it, leave out `--dry-run`. To make `--dry-run` part of the prompt, put `-- ` before the prompt.',
  ].join('\n');
}
