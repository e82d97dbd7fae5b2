/** The form that starts a run: renders its fields and reads them back. */
import type { KnownBlock, ModalView } from '@slack/types';
import { z } from 'zod';
import type { AgentConfig } from '../../runs-api/contract.ts';
import { type RequestOrigin, requestOriginSchema } from '../../store/request-origin.ts';
import { actions, button, context, limits, plain, textInput } from '../blocks.ts';
import {
  channelInput,
  type FormState,
  optionLimits,
  readFormValue,
  searchInput,
  tickInput,
} from '../form-inputs.ts';
import { readMcpServers } from '../mcp-servers.ts';
import { presetNameLimit } from '../presets.ts';
import { titleLimit } from '../run-start.ts';
import { isSkillSpec, skillSpecProblem } from '../skill-spec.ts';

export const formIds = {
  view: 'start-run:submit',
  more: 'start-run:more',
  environment: 'start-run:environment',
  model: 'start-run:model',
  skill: 'start-run:skill',
  preset: 'start-run:preset',
} as const;

const metadataSchema = z.object({
  channelId: z.string(),
  origin: requestOriginSchema,
  /** The long tail is shown. */
  isWhole: z.boolean(),
  /** What the fields hold is the whole configuration: no defaults are added. */
  isExact: z.boolean(),
  /** Kept in the store: what goes with the prompt, and is too long for a form. */
  draftId: z.string().optional(),
});
export type FormMetadata = z.infer<typeof metadataSchema>;

/** What the fields hold, as text. A field that is not shown has no value. */
export const formFields = [
  'prompt',
  'environment_id',
  'channel',
  'ticks',
  'context',
  'title',
  'preset',
  'model_id',
  'skill_spec',
  'name',
  'base_prompt',
  'mcp_servers',
  'save_as',
] as const;
export type FormValues = Partial<Record<(typeof formFields)[number], string>>;

export type FormContent = {
  metadata: FormMetadata;
  values: FormValues;
  /** Said above the fields, in mrkdwn. */
  notices?: readonly string[];
  /** Names for ids, where they are known. */
  names?: ReadonlyMap<string, string>;
  /** Ticks about the context that goes with the prompt. */
  contextTicks?: readonly { value: string; text: string; isTicked: boolean }[];
};

const idLimit = 255;

export function renderStartRunForm(content: FormContent): ModalView {
  const { metadata, values, notices = [] } = content;
  return {
    type: 'modal',
    callback_id: formIds.view,
    private_metadata: JSON.stringify(metadata),
    title: plain('Start an agent run', 24),
    submit: plain('Start', 24),
    close: plain('Cancel', 24),
    blocks: [
      ...notices.map((notice) => context(notice)),
      ...renderTooLong(values.prompt ?? ''),
      ...renderMain(content),
      ...(metadata.isWhole
        ? renderTail(content)
        : [{ ...actions([button(formIds.more, 'More options')]), block_id: 'more' }]),
    ],
  };
}

function renderTooLong(prompt: string): KnownBlock[] {
  const length = [...prompt].length;
  if (length <= limits.inputValue) return [];
  const kept = `⚠️ Slack's form takes ${limits.inputValue} characters, your text has ${length}.`;
  return [context(`${kept} Only the beginning is below: shorten it, or link to the rest.`)];
}

function renderMain(content: FormContent): KnownBlock[] {
  const { values, metadata, contextTicks = [] } = content;
  const notify = { value: 'notify', text: 'Notify me when the run has ended' };
  return [
    textInput({
      blockId: 'prompt',
      label: 'What should the agent do?',
      value: values.prompt,
      multiline: true,
      placeholder: 'Count the TODO comments and say which file has most',
    }),
    textInput({
      blockId: 'title',
      label: 'Title',
      value: values.title,
      optional: true,
      maxLength: titleLimit,
      hint: 'Without one, the first line of the prompt is taken.',
    }),
    picker(content, 'environment_id', {
      label: 'Environment',
      actionId: formIds.environment,
      hint: 'Where the agent works. Empty takes the default of the runs service. Type to search, or to write an id.',
    }),
    channelInput({
      blockId: 'channel',
      label: 'Where to post',
      channelId: values.channel || undefined,
      ...(metadata.origin.threadTs && {
        hint: 'In the channel that this came from, the message goes into its thread.',
      }),
    }),
    ...(contextTicks.length > 0
      ? [tickInput({ blockId: 'context', label: 'From Slack', ticks: contextTicks })]
      : []),
    tickInput({
      blockId: 'ticks',
      label: 'Also',
      ticks: [{ ...notify, isTicked: metadata.origin.notify !== false }],
    }),
  ];
}

function renderTail(content: FormContent): KnownBlock[] {
  const { values } = content;
  return [
    picker(content, 'preset', {
      label: 'Preset',
      actionId: formIds.preset,
      hint: 'Gives its values to the fields that you leave as they are.',
    }),
    picker(content, 'model_id', { label: 'Model', actionId: formIds.model }),
    picker(content, 'skill_spec', {
      label: 'Skill',
      actionId: formIds.skill,
      hint: 'Used as the base prompt: owner/repo:skill-name or owner/repo:path/to/SKILL.md.',
    }),
    textInput({
      blockId: 'name',
      label: 'Configuration name',
      value: values.name,
      optional: true,
      maxLength: idLimit,
      hint: 'Groups runs, for filtering.',
    }),
    textInput({
      blockId: 'base_prompt',
      label: 'Base prompt',
      value: values.base_prompt,
      optional: true,
      multiline: true,
      hint: 'Text that shapes how the agent behaves.',
    }),
    textInput({
      blockId: 'mcp_servers',
      label: 'MCP servers',
      value: values.mcp_servers,
      optional: true,
      multiline: true,
      hint: 'JSON, for example {"docs": {"url": "https://mcp.example.com"}}',
    }),
    textInput({
      blockId: 'save_as',
      label: 'Save as preset',
      value: values.save_as,
      optional: true,
      maxLength: presetNameLimit,
      hint: 'A name keeps this configuration for you, without the prompt.',
    }),
  ];
}

type PickedField = 'environment_id' | 'model_id' | 'skill_spec' | 'preset';

/** An id that no option can hold gets a plain field: the form must open whatever was typed. */
function picker(
  { values, names }: FormContent,
  blockId: PickedField,
  { label, actionId, hint }: { label: string; actionId: string; hint?: string },
): KnownBlock {
  const id = values[blockId];
  const more = { ...(hint && { hint }) };
  if (id && [...id].length > optionLimits.value) {
    return textInput({ blockId, label, value: id, optional: true, maxLength: idLimit, ...more });
  }
  const value = id ? { id, name: names?.get(id) } : undefined;
  const placeholder = 'Type to search, or to write an id';
  return searchInput({ blockId, actionId, label, placeholder, value, ...more });
}

export type FormView = { private_metadata: string; state: FormState };

/** @throws when `private_metadata` is not ours: no person can cause that */
export function readFormMetadata(view: Pick<FormView, 'private_metadata'>): FormMetadata {
  return metadataSchema.parse(JSON.parse(view.private_metadata));
}

export function readFormValues({ state }: FormView): FormValues {
  return Object.fromEntries(
    formFields
      .map((field) => [field, readFormValue(state, field)] as const)
      .filter(([, value]) => value !== undefined),
  );
}

export type FormAnswers = {
  metadata: FormMetadata;
  prompt: string;
  title: string;
  channelId: string;
  notify: boolean;
  ticks: readonly string[];
  preset: string;
  saveAs: string;
  /** What the fields hold; `undefined` for those that are empty, no key for those that are not shown. */
  config: AgentConfig;
};

/** Either what was asked for, or a sentence for every field that is wrong. */
export type ReadForm =
  | { ok: true; answers: FormAnswers }
  | { ok: false; errors: Record<string, string> };

/** @throws when `private_metadata` is not ours: no person can cause that */
export function readStartRunForm(view: FormView): ReadForm {
  const metadata = readFormMetadata(view);
  const values = readFormValues(view);
  const errors: Record<string, string> = {};
  if (!values.prompt) errors['prompt'] = 'Say what the agent should do.';
  if (values.skill_spec && !isSkillSpec(values.skill_spec)) errors['skill_spec'] = skillSpecProblem;
  const mcpServers = readMcpServers(values.mcp_servers ?? '');
  if (mcpServers.error) errors['mcp_servers'] = mcpServers.error;
  if (Object.keys(errors).length > 0) return { ok: false, errors };
  const config: AgentConfig = {};
  for (const field of [
    'environment_id',
    'model_id',
    'name',
    'skill_spec',
    'base_prompt',
  ] as const) {
    if (field in values) Object.assign(config, { [field]: values[field] || undefined });
  }
  if ('mcp_servers' in values) Object.assign(config, { mcp_servers: mcpServers.value });
  const ticks = `${values.ticks ?? ''},${values.context ?? ''}`.split(',').filter(Boolean);
  const answers = {
    metadata,
    prompt: values.prompt ?? '',
    title: values.title ?? '',
    channelId: values.channel || metadata.channelId,
    notify: ticks.includes('notify'),
    ticks,
    preset: values.preset ?? '',
    saveAs: values.save_as ?? '',
    config,
  };
  return { ok: true, answers };
}

export function originOf({ metadata, channelId, notify }: FormAnswers): RequestOrigin {
  const { threadTs, ...origin } = metadata.origin;
  const staysThere = threadTs !== undefined && channelId === metadata.channelId;
  return { ...origin, ...(staysThere && { threadTs }), notify };
}
