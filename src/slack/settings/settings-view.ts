/** The modal of settings: renders its fields and reads them back. */
import type { KnownBlock, ModalView } from '@slack/types';
import type { AgentConfig } from 'runs-client/contract';
import { z } from 'zod';
import {
  type FormState,
  readFormValue,
  selectInput,
  tickInput,
} from '../configuration/form-inputs.ts';
import type { NoticeWishes } from '../configuration/notification-preferences.ts';
import { type Scope, scopeWords } from '../configuration/run-defaults.ts';
import { readViewMetadata } from '../connection/view-metadata.ts';
import { type WhoMayCancel, whoMayCancel } from '../people/who-may-cancel.ts';
import { actions, button, context, header, plain, section } from '../text/blocks.ts';
import { readConfigFields, renderConfigFields } from './config-fields.ts';
import { inputToRead } from './input-to-read.ts';
import {
  hourChoices,
  hourValue,
  readHour,
  readWishFields,
  renderWishFields,
} from './wish-fields.ts';

export const settingsIds = {
  view: 'settings:save',
  scope: 'settings:scope',
  open: 'settings:open',
};

export const scopeSchema = z.enum(['person', 'channel', 'workspace']);
const metadataSchema = z.object({ scope: scopeSchema, channelId: z.string() });

const titles: Record<Scope, string> = {
  person: 'My settings',
  channel: 'Channel settings',
  workspace: 'Workspace settings',
};

const explanations: Record<Scope, string> = {
  person: 'They count for the runs that you start, over those of the channel and the workspace.',
  channel: 'They count for runs that are started in this channel, by everybody.',
  workspace: 'They count for all runs of the workspace.',
};

/** What only one scope has is undefined in the others. */
export type SettingsValues = {
  config: AgentConfig;
  wishes: NoticeWishes;
  startsAtOnce?: boolean | undefined;
  mayCancel?: WhoMayCancel | undefined;
  /** Undefined also for a channel without a digest. */
  digestHour?: number | undefined;
};

export type SettingsContent = SettingsValues & {
  scope: Scope;
  /** Empty where no channel is known. */
  channelId: string;
  /** Whose time zone a digest goes by. */
  digestZone?: string | undefined;
};

/** Slack keeps what stands in a block of the same id, so that each scope has blocks of its own. */
export const blockOf = (scope: Scope) => (field: string) => `${scope}:${field}`;

export function renderSettings(content: SettingsContent): ModalView {
  return {
    ...frame(content),
    submit: plain('Save', 24),
    close: plain('Cancel', 24),
    blocks: [...renderPlace(content), ...renderFields(content)],
  };
}

/** For somebody who may not change them: what they are, and the sentence that says who may. */
export function renderSettingsToRead(content: SettingsContent, refusal: string): ModalView {
  return {
    ...frame(content),
    close: plain('Close', 24),
    blocks: [
      ...renderPlace(content),
      section(`🔒 ${refusal}`),
      ...renderFields(content).map(inputToRead),
    ],
  };
}

const frame = ({ scope, channelId }: SettingsContent) => ({
  type: 'modal' as const,
  callback_id: settingsIds.view,
  private_metadata: JSON.stringify({ scope, channelId }),
  title: plain(titles[scope], 24),
});

/** Which settings these are, and the way to the others. */
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
  const { scope, config, wishes } = content;
  const block = blockOf(scope);
  return [
    header('When runs end'),
    ...renderWishFields(scope, block, wishes),
    ...renderOwn(content),
    header('What runs start with'),
    ...renderConfigFields(block, config),
  ];
}

/** What only this scope has. */
function renderOwn({ scope, ...values }: SettingsContent): KnownBlock[] {
  const block = blockOf(scope);
  switch (scope) {
    case 'person': {
      const text = 'Start at once when I type /agent and a prompt';
      const tick = { value: 'at-once', text, isTicked: values.startsAtOnce === true };
      return [tickInput({ blockId: block('ticks'), label: 'Commands', ticks: [tick] })];
    }
    case 'channel':
      return renderDigestHour(values);
    case 'workspace':
      return [
        selectInput({
          blockId: block('may_cancel'),
          label: 'Who may cancel a run',
          choices: whoMayCancel.map((value) => ({ value, text: cancelWords[value] })),
          value: values.mayCancel ?? 'creator and admins',
        }),
      ];
  }
}

const cancelWords: Record<WhoMayCancel, string> = {
  creator: 'Only its creator',
  'creator and admins': 'Its creator and admins',
  anyone: 'Every member of the workspace, but no guests',
};

/** A digest is of a channel: a conversation of two has none. */
function renderDigestHour({ channelId, digestHour, digestZone }: Omit<SettingsContent, 'scope'>) {
  if (channelId.startsWith('D')) return [];
  const zone = digestZone ? ` It goes by the time zone ${digestZone}.` : '';
  return [
    selectInput({
      blockId: blockOf('channel')('digest'),
      label: 'Daily digest',
      choices: hourChoices('No digest'),
      value: hourValue(digestHour),
      hint: `What ran, what failed and which pull requests wait, once a day, when there is something to say. The hour is in the time zone of whoever sets it.${zone}`,
    }),
  ];
}

export function readSettingsPlace(view: { private_metadata: string }) {
  return readViewMetadata(metadataSchema, view);
}

/** What the fields hold, and a sentence for every one that is wrong. */
export type ReadSettings = { values: SettingsValues; errors: Record<string, string> };

/** @param kept the defaults that the fields were filled from */
export function readSettings(
  scope: Scope,
  { state }: { state: FormState },
  kept: AgentConfig,
): ReadSettings {
  const block = blockOf(scope);
  const text = (field: string) => readFormValue(state, block(field));
  const { config, errors: wrongConfig } = readConfigFields(block, state, {
    from: scopeWords[scope],
    servers: kept.mcp_servers,
  });
  const { wishes, errors: wrongWishes } = readWishFields(block, state);
  return {
    values: {
      config,
      wishes,
      startsAtOnce: text('ticks')?.includes('at-once'),
      mayCancel: whoMayCancel.find((who) => who === text('may_cancel')),
      digestHour: readHour(text('digest')),
    },
    errors: { ...wrongConfig, ...wrongWishes },
  };
}
