/** The form that starts a run: its IDs, its content and its blocks. */

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
  /** The Slack conversation that the offered thread and files are from. */
  sourceId: z.string().optional(),
  /** The configuration that the form is filled with has keys that only this person can use. */
  usesOwnKeys: z.boolean().optional(),
  /** *More options* is open. */
  isExpanded: z.boolean(),
  /** The title was typed before the form opened, so it's shown without *More options*. */
  showsTitle: z.boolean().optional(),
  /** There are presets, so the picker is shown without *More options*. */
  showsPresets: z.boolean().optional(),
  defaultEnvironment: z.object({ id: z.string(), origin: z.string() }).optional(),
  /** The fields are the whole configuration: no defaults are added. */
  isExact: z.boolean(),
  /** Names the stored draft, which holds late data and text that is too long for the form. */
  draftId: z.string(),
  /** Names of the connections to offer. */
  connections: z.array(z.string()).optional(),
  /** The layer that the MCP servers were filled from. Only the layer has their keys. */
  serversFrom: z.string().optional(),
});
export type FormMetadata = z.infer<typeof metadataSchema>;

/** The value of the checkbox that lets others message the run. */
export const sharedKeys = 'shared';

/** Values are text. A field that isn't shown has no value. */
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
  /** Shown above the fields, in mrkdwn. */
  notices?: readonly string[];
  /** Known names of IDs. */
  names?: ReadonlyMap<string, string>;
  /** Warning about the environment that the form is filled with. */
  environmentWarning?: string | undefined;
  /** Number of characters of the prompt that don't fit into the form. */
  restLength?: number;
  /** Offers to send the thread with the prompt. */
  threadCheckbox?: { text: string; isChecked: boolean } | undefined;
  /** Label of the checkbox that sends files: their number and size. */
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
    // Closing the form deletes its draft.
    notify_on_close: true,
  };
}

const shown = { title: 'Start an agent run', submit: 'Start', callbackId: formIds.view };

/** The form shows the beginning of a long prompt. The rest is sent too, unless the person clears the box. */
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

/** Keys can be entered below *More options*. */
const renderKeys = (): KnownBlock =>
  checkboxInput({
    blockId: 'keys',
    label: 'Your keys',
    boxes: [{ value: sharedKeys, text: 'Let others use your keys in this run', isChecked: false }],
  });

function channelHint({ channelId, origin }: FormMetadata): string | undefined {
  const { threadTs, conversation } = origin;
  const hints = [
    ...(threadTs
      ? ["If you keep this channel, the run message is posted in the message's thread."]
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

/** The inputs of the configuration. Their block IDs are the names of the fields. */
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
