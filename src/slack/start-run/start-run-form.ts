/** Renders the form that starts a run. */

import type { KnownBlock, ModalView } from '@slack/types';
import { z } from 'zod';
import { requestOriginSchema } from '../../requests/origin.ts';
import { renderConfigInputs } from '../configuration/config-inputs.ts';
import { presetNameLimit, scopeChoices } from '../configuration/presets.ts';
import { replaceInput } from '../configuration/save-preset.ts';
import { titleLimit } from '../runs/showing/run-label.ts';
import { actions, button, context, modal, textInput } from '../text/blocks.ts';
import { limits } from '../text/escape-text.ts';
import { channelInput, checkboxInput, searchInput, selectInput } from '../text/form-inputs.ts';

export const formIds = {
  view: 'start-run:submit',
  more: 'start-run:more',
  environment: 'start-run:environment',
  model: 'start-run:model',
  skill: 'start-run:skill',
  preset: 'start-run:preset',
} as const;

export const metadataSchema = z.object({
  channelId: z.string(),
  origin: requestOriginSchema,
  /** Slack conversation of the offered thread and files. */
  sourceId: z.string().optional(),
  /** True if the initial configuration has keys that only this person can use. */
  usesOwnKeys: z.boolean().optional(),
  /** True if *More options* is open. */
  isExpanded: z.boolean(),
  /** True if the form opens with a title, which is then shown above *More options*. */
  showsTitle: z.boolean().optional(),
  /** True if the person can use presets. Their picker is then shown above *More options*. */
  showsPresets: z.boolean().optional(),
  defaultEnvironment: z.object({ id: z.string(), origin: z.string() }).optional(),
  /** True if the fields hold the whole configuration, so that no defaults are added. */
  isExact: z.boolean(),
  /** ID of the stored draft, which has late data and text that is too long for the form. */
  draftId: z.string(),
  /** Names of the connections to offer. */
  connections: z.array(z.string()).optional(),
  /** Origin of the MCP servers. Their keys are read from there, because the form never has them. */
  serversFrom: z.string().optional(),
});
export type FormMetadata = z.infer<typeof metadataSchema>;

/** Checkbox value that lets other people message the run with this person's keys. */
export const sharedKeys = 'shared';

/** Field names, which are also block IDs. Values are text, and fields that aren't shown have none. */
export const formFields = [
  'prompt',
  'connection',
  'environment_id',
  'channel',
  'ticks',
  'keys',
  'context',
  'files',
  'rest',
  'title',
  'preset',
  'model_id',
  'skill_spec',
  'name',
  'base_prompt',
  'mcp_servers',
  'save_as',
  'save_for',
  'save_over',
] as const;
type FormField = (typeof formFields)[number];
export type FormValues = Partial<Record<FormField, string>>;

export type FormContent = {
  metadata: FormMetadata;
  values: FormValues;
  /** Notices above the fields, in mrkdwn. */
  notices?: readonly string[];
  /** Names to show for IDs. */
  names?: ReadonlyMap<string, string>;
  /** Warning about the initial environment. */
  environmentWarning?: string | undefined;
  /** Number of prompt characters that don't fit into the form. */
  restLength?: number;
  /** Checkbox that sends the thread with the prompt. */
  threadCheckbox?: { text: string; isChecked: boolean } | undefined;
  /** Text of the checkbox that sends files. */
  filesText?: string | undefined;
};

export function renderStartRunForm(content: FormContent): ModalView {
  const { metadata, notices = [] } = content;
  const blocks: KnownBlock[] = [
    ...notices.map((notice) => context(notice)),
    ...renderMain(content),
    ...(metadata.isExpanded
      ? renderMoreOptions(content)
      : [{ ...actions([button(formIds.more, 'More options')]), block_id: 'more' }]),
  ];
  return {
    ...modal({ ...shown, metadata, blocks }),
    // Have Slack report that the form was closed, so that its draft can be deleted.
    notify_on_close: true,
  };
}

const shown = { title: 'Start an agent run', submit: 'Start', callbackId: formIds.view };

/** Renders the checkbox that sends all of a long prompt, although the field shows only its beginning. */
function renderRest({ prompt = '' }: FormValues, restLength: number): KnownBlock[] {
  if (restLength === 0) return [];
  const length = [...prompt].length + restLength;
  const text = `Send all ${length.toLocaleString('en')} characters`;
  return [
    checkboxInput({
      blockId: 'rest',
      label: 'Long prompt',
      boxes: [{ value: 'rest', text, isChecked: true }],
    }),
  ];
}

function renderMain(content: FormContent): KnownBlock[] {
  const { values, metadata, threadCheckbox, filesText, restLength = 0 } = content;
  const notify = { value: 'notify', text: "Notify me when it's done" };
  const { connection, environment_id: environment } = formConfigInputs(content);
  return [
    textInput({
      blockId: 'prompt',
      label: 'Prompt',
      value: values.prompt,
      multiline: true,
      placeholder: 'What should the agent do? For example: count the TODO comments',
      ...(restLength > 0 && {
        hint: `Only the first ${limits.inputValue.toLocaleString('en')} characters fit here.`,
      }),
    }),
    ...renderRest(values, restLength),
    ...(metadata.showsTitle ? [renderTitle(values)] : []),
    ...(metadata.showsPresets ? [renderPreset(content)] : []),
    ...(connection ? [connection] : []),
    environment,
    channelInput({
      blockId: 'channel',
      label: 'Post in',
      channelId: values.channel || undefined,
      hint: channelHint(metadata),
    }),
    ...(threadCheckbox
      ? [
          checkboxInput({
            blockId: 'context',
            label: 'Thread',
            boxes: [{ value: 'thread', ...threadCheckbox }],
          }),
        ]
      : []),
    ...(filesText
      ? [
          checkboxInput({
            blockId: 'files',
            label: 'Files',
            boxes: [{ value: 'files', text: filesText, isChecked: true }],
          }),
        ]
      : []),
    checkboxInput({
      blockId: 'ticks',
      label: 'Notifications',
      boxes: [{ ...notify, isChecked: metadata.origin.notify !== false }],
    }),
    ...(metadata.usesOwnKeys || metadata.isExpanded ? [renderKeys()] : []),
  ];
}

/**
 * Renders the checkbox that lets other people use the person's keys. *More options* shows it as well, because people
 * can type keys there.
 */
const renderKeys = (): KnownBlock =>
  checkboxInput({
    blockId: 'keys',
    label: 'Your keys',
    boxes: [
      { value: sharedKeys, text: 'Let other people use your keys in this run', isChecked: false },
    ],
  });

function channelHint({ channelId, origin }: FormMetadata): string | undefined {
  const { threadTs, conversation } = origin;
  const hints = [
    ...(threadTs
      ? ["If you don't change the channel, the run is posted in the message's thread."]
      : []),
    ...(conversation
      ? [conversation.channelId === channelId ? newElsewhere : newConversation]
      : []),
  ];
  return hints.join(' ') || undefined;
}

const newElsewhere = 'In another channel, a new conversation starts, because other people read it.';
const newConversation =
  'Starts a new conversation, because the earlier one belongs to another channel.';

function renderMoreOptions(content: FormContent): KnownBlock[] {
  const { values, metadata } = content;
  const { environment_id: _, connection: __, ...inputs } = formConfigInputs(content);
  return [
    ...(metadata.showsTitle ? [] : [renderTitle(values)]),
    ...(metadata.showsPresets ? [] : [renderPreset(content)]),
    ...Object.values(inputs),
    textInput({
      blockId: 'save_as',
      label: 'Save as preset',
      value: values.save_as,
      optional: true,
      maxLength: presetNameLimit,
      hint: 'Enter a name to save this configuration, without the prompt.',
    }),
    selectInput({
      blockId: 'save_for',
      label: 'Preset available to',
      choices: scopeChoices(metadata.channelId),
      value: values.save_for || 'person',
    }),
    replaceInput('save_over', values.save_over),
  ];
}

/** Returns the configuration's inputs by field. Field names are their block IDs. */
const formConfigInputs = ({ values, names, metadata, environmentWarning }: FormContent) =>
  renderConfigInputs({
    values,
    names,
    environmentWarning,
    defaultEnvironment: metadata.defaultEnvironment,
    connections: metadata.connections,
    blockId: (field) => field,
    actionId: (searched) => formIds[searched],
  });

const renderTitle = ({ title }: FormValues): KnownBlock =>
  textInput({
    blockId: 'title',
    label: 'Title',
    value: title,
    optional: true,
    maxLength: titleLimit,
    hint: 'Default: the first line of the prompt.',
  });

function renderPreset({ values: { preset: id }, names }: FormContent): KnownBlock {
  return searchInput({
    blockId: 'preset',
    actionId: formIds.preset,
    label: 'Preset',
    placeholder: 'Search presets',
    value: id ? { id, name: names?.get(id) } : undefined,
    hint: "Fills the fields that you don't change.",
  });
}
