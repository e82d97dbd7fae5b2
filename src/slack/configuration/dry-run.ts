/** `--dry-run`: what would be sent, and where each value comes from. */

import { titleFrom } from '../runs/run-start.ts';
import { shownText } from '../secrets/mask-secrets.ts';
import { withoutSecrets } from '../secrets/without-secrets.ts';
import { code, escapeText } from '../text/blocks.ts';
import { configFields, fieldWords, type ResolvedConfig } from './run-defaults.ts';

type DryRun = {
  prompt: string;
  title: string;
  /** What goes along from Slack, in words. */
  context?: string | undefined;
} & ResolvedConfig;

export function dryRunText({ prompt, title, context, config, fields }: DryRun): string {
  const lines = configFields.map((field) => {
    const value = config[field];
    if (value === undefined) return `• ${fieldWords[field]}: not set (the runs service decides)`;
    const text = typeof value === 'string' ? value : JSON.stringify(withoutSecrets(value, true));
    return `• ${fieldWords[field]}: ${code(text, 300)} (${escapeText(fields[field] ?? 'typed', 100)})`;
  });
  const named = `${code(titleFrom(prompt), 150)} (first line of the prompt)`;
  return [
    '*Nothing was started.* This is what would be sent:',
    `• Prompt: ${prompt ? `${code(prompt, 500)} (${[...prompt].length} characters)` : 'none yet'}`,
    ...(context ? [`• From Slack: ${context}`] : []),
    `• Title: ${title ? `${code(shownText(title), 150)} (typed)` : named}`,
    ...lines,
    'Without `--dry-run` it starts. `-- ` before the prompt makes `--dry-run` part of it.',
  ].join('\n');
}
