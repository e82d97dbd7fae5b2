/** Renders the settings modals and reads them back. They're a start page, and two forms for each scope. */

import type { KnownBlock, ModalView } from '@slack/types';
import { fingerprint } from 'base/fingerprint';
import type { AgentConfig } from 'runs-client/contract';
import { z } from 'zod';
import { type Scope, scopeSchema } from '../../store/people/settings.ts';
import type { NotificationPreferences } from '../configuration/preferences.ts';
import {
  type DefaultValue,
  defaultsOrigins,
  describeConfig,
} from '../configuration/run-defaults.ts';
import { readViewMetadata } from '../posting/modals.ts';
import { actions, button, context, modal, section } from '../text/blocks.ts';
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

const pageSchema = z.enum(['notifications', 'defaults']);
export type SettingsPage = z.infer<typeof pageSchema>;

/** Scope and page of one form. */
const formSchema = z.object({ scope: scopeSchema, page: pageSchema });
export type SettingsForm = z.infer<typeof formSchema>;

const startSchema = z.object({ channelId: z.string() });
const metadataSchema = startSchema.extend({ ...formSchema.shape, seen: z.string().optional() });

const scopeTitles: Record<Scope, string> = {
  person: 'Your settings',
  channel: 'Channel settings',
  workspace: 'Workspace settings',
};

const explanations: Record<Scope, string> = {
  person:
    'These settings apply to runs that you start. They override channel and workspace settings.',
  channel:
    'These settings apply to runs started in this channel. They override workspace settings.',
  workspace: 'These settings apply unless a channel or a person has their own.',
};

const pageTitles: Record<SettingsPage, string> = {
  notifications: 'Notifications',
  defaults: 'Run defaults',
};

/** Titles of the forms. Slack limits them to 24 characters. */
const titles: Record<Scope, Record<SettingsPage, string>> = {
  person: { notifications: 'Your notifications', defaults: 'Your run defaults' },
  channel: { notifications: 'Channel notifications', defaults: 'Channel run defaults' },
  workspace: { notifications: 'Workspace notifications', defaults: 'Workspace run defaults' },
};

/** Renders the start page, with buttons for each form. `channelId` is empty if no channel is known. */
export function renderSettingsStart(channelId: string): ModalView {
  const scopes = scopeSchema.options.filter((scope) => scope !== 'channel' || channelId !== '');
  return modal({
    metadata: { channelId },
    title: 'Settings',
    blocks: [
      ...scopes.flatMap(renderScope),
      ...(channelId === ''
        ? [context("To change a channel's settings, type `/agent settings` in that channel.")]
        : []),
    ],
  });
}

function renderScope(scope: Scope): KnownBlock[] {
  const pages = pageSchema.options.map((page) =>
    button(`${settingsIds.open}${scope}:${page}`, pageTitles[page]),
  );
  const rules = scope === 'workspace' ? [button(settingsIds.policy, 'Rules')] : [];
  return [
    section(`*${scopeTitles[scope]}*\n${explanations[scope]}`),
    actions([...pages, ...rules]),
  ];
}

/** Reads the form that a button of the start page opens. */
export function readSettingsButton(actionId: string): SettingsForm | undefined {
  const [scope, page] = actionId.slice(settingsIds.open.length).split(':');
  return formSchema.safeParse({ scope, page }).data;
}

export const readSettingsChannel = (view: { private_metadata: string }): string =>
  readViewMetadata(startSchema, view).channelId;

/** Values of one page. Each optional value exists for one scope only. */
export type SettingsValues =
  | {
      page: 'notifications';
      preferences: NotificationPreferences;
      /** True if plain replies in a run's thread go to the run. */
      sendsPlainReplies?: boolean | undefined;
      /** Hour of the digest. Undefined if the channel has none. */
      digestHour?: number | undefined;
    }
  | { page: 'defaults'; config: AgentConfig; startsAtOnce?: boolean | undefined };

export type SettingsContent = SettingsValues & {
  scope: Scope;
  /** ID of the channel. Empty if no channel is known. */
  channelId: string;
  /** Names of the connections to offer. */
  connections?: readonly string[];
  /** Environment that applies if this scope sets none. */
  defaultEnvironment?: DefaultValue | undefined;
  /** Version of the stored values that the form shows. */
  seen?: string;
  /** Time zone of the digest. */
  digestZone?: string | undefined;
};

/**
 * Renders a form.
 * @param stored the values that someone else saved while the form was open
 */
export function renderSettings(content: SettingsContent, stored?: SettingsValues): ModalView {
  return modal({
    ...frame(content),
    submit: 'Save',
    close: 'Back',
    blocks: [
      ...(stored ? [section(changedText(stored))] : []),
      context(explanations[content.scope]),
      ...renderFields(content),
    ],
  });
}

const changedText = (stored: SettingsValues) =>
  [
    "⚠️ *Someone changed these settings while this form was open.* Your changes weren't saved. If you save again, your values replace theirs.",
    ...(stored.page === 'defaults'
      ? [`Run defaults are now: ${escapeText(describeConfig(stored.config), 1_000)}`]
      : []),
  ].join('\n');

/** Returns a version that changes with every value. */
export const versionOf = (values: SettingsValues): string => fingerprint(versionedValues(values));

function versionedValues(values: SettingsValues): unknown[] {
  switch (values.page) {
    case 'notifications': {
      const { preferences, sendsPlainReplies, digestHour } = values;
      return [byName(preferences), sendsPlainReplies === true, digestHour ?? null];
    }
    case 'defaults':
      return [byName(values.config), values.startsAtOnce === true];
  }
}

const byName = (values: object) =>
  Object.entries(values)
    .filter(([, value]) => value !== undefined)
    .sort(([one], [other]) => (one < other ? -1 : 1));

/** Renders a form read-only, with a sentence about who can change it. */
export function renderSettingsToRead(content: SettingsContent, denial: string): ModalView {
  return modal({
    ...frame(content),
    close: 'Back',
    blocks: [
      context(explanations[content.scope]),
      section(`🔒 ${denial}`),
      ...renderFields(content).map(inputToRead),
    ],
  });
}

const frame = ({ scope, page, channelId, seen }: SettingsContent) => ({
  callbackId: settingsIds.view,
  metadata: { scope, page, channelId, ...(seen && { seen }) },
  title: titles[scope][page],
});

/** Returns block IDs that differ by scope, because Slack keeps typed values of a block when a view is updated. */
export const blockOf = (scope: Scope) => (field: string) => `${scope}:${field}`;

function renderFields(content: SettingsContent): KnownBlock[] {
  const { scope, channelId } = content;
  const block = blockOf(scope);
  switch (content.page) {
    case 'notifications':
      return [
        ...renderNotificationFields(scope, block, content.preferences),
        // Leave out these fields for a direct message. It has no digest, and every reply in it is for the app.
        ...(scope === 'channel' && !channelId.startsWith('D')
          ? [renderReplies(content), renderDigestHour(content)]
          : []),
      ];
    case 'defaults':
      return [
        ...(scope === 'person' ? [renderCommands(content)] : []),
        ...renderConfigFields(block, content),
      ];
  }
}

function renderCommands({ startsAtOnce }: { startsAtOnce?: boolean | undefined }) {
  const text = 'Skip the form when you type /agent and a prompt';
  const box = { value: 'at-once', text, isChecked: startsAtOnce === true };
  return checkboxInput({ blockId: blockOf('person')('ticks'), label: 'Commands', boxes: [box] });
}

function renderReplies({ sendsPlainReplies }: { sendsPlainReplies?: boolean | undefined }) {
  return selectInput({
    blockId: blockOf('channel')('replies'),
    label: 'Replies sent to the run',
    choices: [
      { value: 'mentions', text: 'Mentions only' },
      { value: 'all', text: 'All replies' },
    ],
    value: sendsPlainReplies ? 'all' : 'mentions',
    hint: "Replies to other people aren't sent. After the run ends, a reply starts a new run.",
  });
}

type Digest = { digestHour?: number | undefined; digestZone?: string | undefined };

function renderDigestHour({ digestHour, digestZone }: Digest) {
  return selectInput({
    blockId: blockOf('channel')('digest'),
    label: 'Daily digest',
    choices: hourChoices('No digest'),
    value: hourValue(digestHour),
    hint: digestZone
      ? `Time zone: ${digestZone}. A new hour is in your time zone.`
      : 'A summary of runs, failures and pull requests to review, in your time zone.',
  });
}

export const readSettingsMetadata = (view: { private_metadata: string }) =>
  readViewMetadata(metadataSchema, view);

/**
 * Returns the values of the fields, and an error for each invalid one.
 * @param saved the stored values, with the MCP server keys that fields never show
 */
export function readSettings(
  { scope, page }: SettingsForm,
  { state }: { state: FormState },
  saved: SettingsValues,
): { values: SettingsValues; errors: Record<string, string> } {
  const block = blockOf(scope);
  const text = (field: string) => readFormValue(state, block(field));
  if (page === 'notifications') {
    const { preferences, errors } = readNotificationFields(block, state);
    const sendsPlainReplies = text('replies') === 'all';
    const digestHour = readHour(text('digest'));
    return { values: { page, preferences, sendsPlainReplies, digestHour }, errors };
  }
  const servers = saved.page === 'defaults' ? saved.config.mcp_servers : undefined;
  const { config, errors } = readConfigFields(block, state, {
    from: defaultsOrigins[scope],
    servers,
  });
  return {
    values: { page, config, startsAtOnce: text('ticks')?.includes('at-once') },
    errors,
  };
}
