/** The settings modal. Renders its fields and reads them back. */

import type { KnownBlock, ModalView } from '@slack/types';
import { fingerprint } from 'base/fingerprint';
import type { AgentConfig } from 'runs-client/contract';
import { z } from 'zod';
import { type Scope, scopeSchema } from '../../store/people/settings.ts';
import type { NotificationPreferences } from '../configuration/preferences.ts';
import { describeConfig, scopeWords } from '../configuration/run-defaults.ts';
import { readViewMetadata } from '../posting/modals.ts';
import { actions, button, context, header, modal, section } from '../text/blocks.ts';
import { escapeText } from '../text/escape-text.ts';
import { checkboxInput, type FormState, readFormValue, selectInput } from '../text/form-inputs.ts';
import {
  hourChoices,
  hourValue,
  inputToRead,
  readConfigFields,
  readHour,
  readNotificationFields,
  renderConfigFields,
  renderNotificationFields,
  settingsIds,
} from './settings-fields.ts';

const metadataSchema = z.object({
  scope: scopeSchema,
  channelId: z.string(),
  seen: z.string().optional(),
});

const titles: Record<Scope, string> = {
  person: 'Your settings',
  channel: 'Channel settings',
  workspace: 'Workspace settings',
};

const explanations: Record<Scope, string> = {
  person: 'These apply to runs you start and override channel and workspace settings.',
  channel: 'These apply to runs started in this channel and override workspace settings.',
  workspace: 'These apply to all runs in this workspace.',
};

/** Values of a form. Optional ones exist for one scope only. */
export type SettingsValues = {
  config: AgentConfig;
  preferences: NotificationPreferences;
  startsAtOnce?: boolean | undefined;
  repliesCount?: boolean | undefined;
  /** Undefined if the channel has no digest. */
  digestHour?: number | undefined;
};

export type SettingsContent = SettingsValues & {
  scope: Scope;
  /** Names of the connections to offer. */
  connections?: readonly string[];
  /** Empty if no channel is known. */
  channelId: string;
  /** Version of the stored values that the form shows. */
  seen?: string;
  /** Time zone of the digest. */
  digestZone?: string | undefined;
  /** Summary of the workspace's rules. */
  policy?: { ruleCount: number; isFromFile: boolean } | undefined;
};

/** Each scope has its own block IDs, because Slack keeps typed values of a block when a view is updated. */
export const blockOf = (scope: Scope) => (field: string) => `${scope}:${field}`;

/** @param stored the run defaults that someone else saved while the form was open */
export function renderSettings(content: SettingsContent, stored?: AgentConfig): ModalView {
  return modal({
    ...frame(content),
    submit: 'Save',
    blocks: [
      ...(stored ? [section(changedText(stored))] : []),
      ...renderPlace(content),
      ...renderFields(content),
    ],
  });
}

const changedText = (stored: AgentConfig) =>
  [
    '⚠️ *Someone changed these settings while this form was open.* Nothing was saved. If you save again, your values replace theirs.',
    `Run defaults are now: ${escapeText(describeConfig(stored), 1_000)}`,
  ].join('\n');

/** Returns a version that changes with every value. */
export const versionOf = (values: SettingsValues): string =>
  fingerprint([
    ...[values.config, values.preferences].map(byName),
    ...[values.startsAtOnce === true, values.repliesCount === true, values.digestHour ?? null],
  ]);

const byName = (values: object) =>
  Object.entries(values)
    .filter(([, value]) => value !== undefined)
    .sort(([one], [other]) => (one < other ? -1 : 1));

/** Renders the settings read-only, with a sentence about who can change them. */
export function renderSettingsToRead(content: SettingsContent, refusal: string): ModalView {
  return modal({
    ...frame(content),
    blocks: [
      ...renderPlace(content),
      section(`🔒 ${refusal}`),
      // Only admins see the rules.
      ...renderFields({ ...content, policy: undefined }).map(inputToRead),
    ],
  });
}

const frame = ({ scope, channelId, seen }: SettingsContent) => ({
  callbackId: settingsIds.view,
  metadata: { scope, channelId, ...(seen && { seen }) },
  title: titles[scope],
});

/** Explains the scope, and has buttons for the other scopes. */
function renderPlace({ scope, channelId }: SettingsContent): KnownBlock[] {
  const others = scopeSchema.options.filter(
    (each) => each !== scope && (each !== 'channel' || channelId !== ''),
  );
  return [
    context(explanations[scope]),
    actions(others.map((each) => button(`${settingsIds.scope}:${each}`, titles[each]))),
  ];
}

function renderFields(content: SettingsContent): KnownBlock[] {
  const { scope, config, preferences } = content;
  const block = blockOf(scope);
  return [
    header('Notifications'),
    ...renderNotificationFields(scope, block, preferences),
    ...renderOwn(content),
    header('Run defaults'),
    ...renderConfigFields(block, config, content.connections ?? []),
  ];
}

/** Renders the fields that only this scope has. */
function renderOwn({ scope, ...values }: SettingsContent): KnownBlock[] {
  const block = blockOf(scope);
  switch (scope) {
    case 'person': {
      const text = 'Skip the form when you type /agent and a prompt';
      const box = { value: 'at-once', text, isChecked: values.startsAtOnce === true };
      return [checkboxInput({ blockId: block('ticks'), label: 'Commands', boxes: [box] })];
    }
    case 'channel':
      // A direct message has no digest, and every reply in it is for the app.
      return values.channelId.startsWith('D')
        ? []
        : [renderReplies(values), renderDigestHour(values)];
    case 'workspace':
      return renderPolicy(values);
  }
}

function renderPolicy({ policy }: Pick<SettingsContent, 'policy'>): KnownBlock[] {
  if (!policy) return [];
  const { ruleCount, isFromFile } = policy;
  const content = 'who can start, cancel and answer runs, where, and with what.';
  const from = isFromFile ? " from a file of the app's operator" : '';
  const count = ruleCount === 1 ? '*1 rule*' : `*${ruleCount} rules*`;
  const verb = ruleCount === 1 ? 'says' : 'say';
  const text =
    ruleCount === 0
      ? `*No rules*${from}. Rules say ${content}`
      : `${count}${from} ${verb} ${content}`;
  return [header('Policy'), section(text, button(settingsIds.policy, 'Show rules'))];
}

function renderReplies({ repliesCount }: SettingsValues) {
  return selectInput({
    blockId: blockOf('channel')('replies'),
    label: 'Replies in threads of runs',
    choices: [
      { value: 'mentions', text: 'Only go to the run if they mention the app' },
      { value: 'all', text: 'Go to the run unless they mention someone else' },
    ],
    value: repliesCount ? 'all' : 'mentions',
    hint: 'A reply to a run that has ended starts the next run of the conversation.',
  });
}

function renderDigestHour({ digestHour, digestZone }: Omit<SettingsContent, 'scope'>) {
  const zone = digestZone
    ? `Time zone: ${digestZone}. Changing the hour sets it to yours.`
    : 'In your time zone.';
  return selectInput({
    blockId: blockOf('channel')('digest'),
    label: 'Daily digest',
    choices: hourChoices('No digest'),
    value: hourValue(digestHour),
    hint: `A summary of runs, failures and open pull requests. ${zone}`,
  });
}

export function readSettingsPlace(view: { private_metadata: string }) {
  return readViewMetadata(metadataSchema, view);
}

/**
 * Returns the values of the fields, and an error for each invalid one.
 * @param saved the defaults that the fields were filled from
 */
export function readSettings(
  scope: Scope,
  { state }: { state: FormState },
  saved: AgentConfig,
): { values: SettingsValues; errors: Record<string, string> } {
  const block = blockOf(scope);
  const text = (field: string) => readFormValue(state, block(field));
  const { config, errors: configErrors } = readConfigFields(block, state, {
    from: scopeWords[scope],
    servers: saved.mcp_servers,
  });
  const { preferences, errors: preferenceErrors } = readNotificationFields(block, state);
  return {
    values: {
      config,
      preferences,
      startsAtOnce: text('ticks')?.includes('at-once'),
      repliesCount: text('replies') === 'all',
      digestHour: readHour(text('digest')),
    },
    errors: { ...configErrors, ...preferenceErrors },
  };
}
