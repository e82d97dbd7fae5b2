/** Renders the fields of the settings forms and reads them back. */
import type { KnownBlock } from '@slack/types';
import type { AgentConfig } from 'runs-client/contract';
import { z } from 'zod';
import type { Scope } from '../../store/people/settings.ts';
import {
  configValues,
  readConfigValues,
  renderConfigInputs,
} from '../configuration/config-inputs.ts';
import { putKeysBack, type SavedServers } from '../configuration/mcp-servers.ts';
import {
  type NotificationPreferences,
  type ReplyPlace,
  replyPlaces,
} from '../configuration/preferences.ts';
import { configFields, type DefaultValue } from '../configuration/run-defaults.ts';
import { section } from '../text/blocks.ts';
import { escapeText, limits } from '../text/escape-text.ts';
import {
  type FormState,
  type ListedChoice,
  readFormValue,
  selectInput,
} from '../text/form-inputs.ts';

type BlockOf = (field: string) => string;

export const settingsIds = {
  view: 'settings:save',
  /** Prefix of action IDs that open a form. The scope and the page follow. */
  open: 'settings:open:',
  policy: 'settings:policy',
  /** Prefix of pickers' action IDs. The searched field follows. */
  pick: 'settings:pick:',
};

export function renderConfigFields(
  blockId: BlockOf,
  {
    config,
    connections,
    defaultEnvironment,
  }: {
    config: AgentConfig;
    connections?: readonly string[];
    defaultEnvironment?: DefaultValue | undefined;
  },
): KnownBlock[] {
  const inputs = renderConfigInputs({
    blockId,
    actionId: (searched) => settingsIds.pick + searched,
    values: configValues(config),
    connections,
    defaultEnvironment,
    canBeUnset: true,
  });
  return configFields.flatMap((field) => inputs[field] ?? []);
}

/**
 * Reads the fields of the default configuration.
 * @param saved stored servers with their keys, which fields never show
 */
export function readConfigFields(
  blockId: BlockOf,
  state: FormState,
  saved: SavedServers,
): { config: AgentConfig; errors: Record<string, string> } {
  const { config, errors } = readConfigValues(
    Object.fromEntries(configFields.map((field) => [field, readFormValue(state, blockId(field))])),
  );
  const { mcp_servers: written, ...others } = config;
  const { value, error } = written ? putKeysBack(written, saved) : {};
  const problems = Object.entries({ ...errors, ...(error && { mcp_servers: error }) });
  return {
    config: { ...others, ...(value && { mcp_servers: value }) },
    errors: Object.fromEntries(problems.map(([field, problem]) => [blockId(field), problem])),
  };
}

const replyTexts: Record<ReplyPlace, string> = {
  thread: 'Thread reply that mentions {who}',
  direct: 'Direct message',
  both: 'Thread reply and direct message',
  none: 'No notification',
};

const inheritedTexts: Record<Scope, string> = {
  person: 'Channel or workspace setting',
  channel: 'Workspace setting',
  workspace: 'App default (thread reply)',
};

const inherited = 'inherited';
const off = 'off';

export const hourChoices = (offText: string): ListedChoice[] => [
  { value: off, text: offText },
  ...Array.from({ length: 24 }, (_, hour) => ({
    value: String(hour),
    text: `${hour % 12 || 12}:00 ${hour < 12 ? 'AM' : 'PM'}`,
  })),
];

/** Reads an hour. Returns undefined if it's set to "off". */
export function readHour(text: string | undefined): number | undefined {
  return text && text !== off ? Number(text) : undefined;
}

export const hourValue = (hour: number | undefined): string =>
  hour === undefined ? off : String(hour);

export function renderNotificationFields(
  scope: Scope,
  block: BlockOf,
  { reply, toChannel, quiet }: NotificationPreferences,
): KnownBlock[] {
  const places = replyPlaces.map((value) => ({
    value,
    text: replyTexts[value].replace('{who}', scope === 'person' ? 'you' : 'the creator'),
  }));
  const replies = selectInput({
    blockId: block('reply'),
    label: 'Notify by',
    choices: [{ value: inherited, text: inheritedTexts[scope] }, ...places],
    value: reply ?? inherited,
  });
  return [
    replies,
    ...(scope === 'person'
      ? renderQuiet(block, quiet)
      : [renderToChannel(scope, block, toChannel)]),
  ];
}

function renderQuiet(block: BlockOf, quiet: NotificationPreferences['quiet']): KnownBlock[] {
  return [
    selectInput({
      blockId: block('quiet_from'),
      label: 'Quiet hours start',
      choices: hourChoices('No quiet hours'),
      value: hourValue(quiet?.from),
      hint: 'In your time zone. Notifications are held and sent as direct messages when quiet hours end.',
    }),
    selectInput({
      blockId: block('quiet_until'),
      label: 'Quiet hours end',
      choices: hourChoices('No quiet hours'),
      value: hourValue(quiet?.until),
    }),
  ];
}

function renderToChannel(scope: Scope, block: BlockOf, toChannel: boolean | undefined) {
  const text = scope === 'channel' ? inheritedTexts.channel : 'App default (no)';
  return selectInput({
    blockId: block('to_channel'),
    label: 'Also send thread replies to the channel',
    choices: [
      { value: inherited, text },
      { value: 'yes', text: 'Yes' },
      { value: 'no', text: 'No' },
    ],
    value: toChannel === undefined ? inherited : toChannel ? 'yes' : 'no',
  });
}

export function readNotificationFields(
  block: BlockOf,
  state: FormState,
): { preferences: NotificationPreferences; errors: Record<string, string> } {
  const text = (field: string) => readFormValue(state, block(field));
  const reply = replyPlaces.find((place) => place === text('reply'));
  const toChannel = text('to_channel');
  const [from, until] = [readHour(text('quiet_from')), readHour(text('quiet_until'))];
  const errors: Record<string, string> = {};
  if ((from === undefined) !== (until === undefined)) {
    errors[block(from === undefined ? 'quiet_from' : 'quiet_until')] = 'Set both hours or neither.';
  } else if (from !== undefined && from === until) {
    errors[block('quiet_until')] = 'Choose an hour other than the start.';
  }
  const preferences = {
    ...(reply && { reply }),
    ...((toChannel === 'yes' || toChannel === 'no') && { toChannel: toChannel === 'yes' }),
    ...(from !== undefined && until !== undefined && { quiet: { from, until } }),
  };
  return { preferences, errors };
}

/** Turns an input into read-only text with its initial value. Returns other blocks unchanged. */
export function inputToRead(block: KnownBlock): KnownBlock {
  if (block.type !== 'input') return block;
  const { data } = heldSchema.safeParse(block.element);
  const options = data?.initial_options ?? (data?.initial_option ? [data.initial_option] : []);
  const people = data?.initial_users?.map((id) => `<@${id}>`).join(', ');
  const held = data?.initial_value ?? options.map(({ text }) => text.text).join(', ');
  const value = people ?? (held ? escapeText(held, limits.text - 200) : '_not set_');
  return section(`*${escapeText(block.label.text, 150)}*\n${value}`);
}

const heldOption = z.object({ text: z.object({ text: z.string() }) });
const heldSchema = z.object({
  initial_users: z.array(z.string()).optional(),
  initial_value: z.string().optional(),
  initial_option: heldOption.optional(),
  initial_options: z.array(heldOption).optional(),
});
