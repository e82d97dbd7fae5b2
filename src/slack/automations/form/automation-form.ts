/** Renders the form in which people create, edit and test an automation. It shows only what its trigger has. */
import type { InputBlock, KnownBlock, ModalView } from '@slack/types';
import { defaultLimits, type TriggerKind, triggerKinds } from '../../../automations/automation.ts';
import { readyMade } from '../../../automations/ready-made.ts';
import { renderConfigInputs } from '../../configuration/config-inputs.ts';
import { titleLimit } from '../../runs/showing/run-label.ts';
import { actions, button, context, header, modal, textInput } from '../../text/blocks.ts';
import { channelInput, checkboxInput, searchInput, selectInput } from '../../text/form-inputs.ts';
import { codeBlocks, plainTexts } from '../../text/rich-text.ts';
import {
  type AutomationField,
  type AutomationFormContent,
  blockIdOf,
  triggerOf,
} from './form-content.ts';
import { automationFormIds } from './form-ids.ts';
import { sendingAction, triggerInputs } from './trigger-inputs.ts';

export const nameLimit = 60;

const triggerNames: Record<TriggerKind, string> = {
  schedule: 'Schedule',
  webhook: 'Webhook',
  message: 'Message',
  reaction: 'Reaction',
};

export function renderAutomationForm(content: AutomationFormContent): ModalView {
  const { metadata, values, notices = [], tested = [] } = content;
  const block = (field: AutomationField) => blockIdOf(metadata, field);
  const kind = triggerOf(values);
  const isNew = metadata.source === undefined || metadata.source.from === 'run';
  const trigger = selectInput({
    blockId: block('trigger'),
    label: 'Trigger',
    choices: triggerKinds.map((value) => ({ value, text: triggerNames[value] })),
    value: kind,
  });
  return modal({
    callbackId: automationFormIds.view,
    metadata,
    title: isNew ? 'New automation' : titles[metadata.source?.from ?? 'automation'],
    submit: 'Save',
    blocks: [
      ...notices.map((notice) => context(notice)),
      textInput({
        blockId: block('automation_name'),
        label: 'Name',
        value: values.automation_name,
        maxLength: nameLimit,
      }),
      sendingAction(trigger, automationFormIds.trigger),
      ...(kind === 'webhook' && isNew ? [renderReadyMade(content)] : []),
      ...triggerInputs(kind, content),
      channelInput({
        blockId: block('channel'),
        label: isInThread(kind) ? 'Channel' : 'Post in',
        channelId: values.channel || undefined,
        ...(isInThread(kind) && { hint: 'Runs are shown in the thread of the message.' }),
      }),
      ...(isInThread(kind) ? [] : [renderShow(content)]),
      header('What to run'),
      ...renderRun(content, kind),
      header('Limits'),
      ...renderLimits(content),
      actions([button(automationFormIds.test, 'Test')]),
      ...tested,
    ],
  });
}

const titles = { automation: 'Edit automation', takeover: 'Take over automation', run: '' };

const isInThread = (kind: TriggerKind) => kind === 'message' || kind === 'reaction';

const empty = ':empty';

const renderReadyMade = ({ metadata, values }: AutomationFormContent): InputBlock =>
  sendingAction(
    selectInput({
      blockId: blockIdOf(metadata, 'ready_made'),
      label: 'Ready-made',
      choices: [
        { value: empty, text: 'None' },
        ...readyMade.map(({ name }) => ({ value: name, text: name })),
      ],
      value: values.ready_made ?? empty,
    }),
    automationFormIds.readyMade,
  );

const renderShow = ({ metadata, values }: AutomationFormContent): InputBlock =>
  selectInput({
    blockId: blockIdOf(metadata, 'show'),
    label: 'Show runs in',
    choices: [
      { value: 'message', text: 'A new message each time' },
      { value: 'thread', text: 'The thread of one message' },
    ],
    value: values.show ?? 'message',
  });

const promptHints: Record<TriggerKind, string> = {
  schedule: '{{ date }} stands for the day, such as 2026-11-27.',
  webhook:
    '{{ payload.issue.title }} stands for a value of the delivery. The agent also gets the whole delivery as a file.',
  message:
    '{{ message.text }}, {{ message.author }} and {{ message.link }} stand for values of the message. The agent also gets the message itself.',
  reaction:
    '{{ message.text }}, {{ message.author }} and {{ message.link }} stand for values of the message. The agent also gets the message itself.',
};

function renderRun(content: AutomationFormContent, kind: TriggerKind): KnownBlock[] {
  const { metadata, values, names, kept, keptInFull, rest = '', connections } = content;
  const block = (field: AutomationField) => blockIdOf(metadata, field);
  const inputs = renderConfigInputs({
    values,
    names,
    connections,
    canBeUnset: true,
    defaultEnvironment: content.defaultEnvironment,
    blockId: (field) => blockIdOf(metadata, field),
    actionId: (searched) => `automations:${searched}`,
  });
  const preset = values.preset;
  return [
    textInput({
      blockId: block('prompt'),
      label: 'Prompt',
      value: values.prompt,
      multiline: true,
      placeholder: 'What should the agent do?',
      hint: promptHints[kind],
    }),
    ...(rest
      ? [
          checkboxInput({
            blockId: block('rest'),
            label: 'Long prompt',
            boxes: [{ value: 'rest', text: restText(rest), isChecked: values.rest !== '' }],
          }),
          ...plainTexts(rest, mostPieces),
        ]
      : []),
    searchInput({
      blockId: block('preset'),
      actionId: automationFormIds.preset,
      label: 'Preset',
      placeholder: 'Search presets',
      value: preset ? { id: preset, name: names?.get(preset) } : undefined,
    }),
    ...(inputs.connection ? [inputs.connection] : []),
    inputs.environment_id,
    inputs.model_id,
    ...(kept
      ? [
          checkboxInput({
            blockId: block('kept'),
            label: 'Other options',
            boxes: [{ value: 'kept', text: kept, isChecked: values.kept !== '' }],
          }),
          ...(keptInFull ? codeBlocks(keptInFull, mostPieces) : []),
        ]
      : []),
    textInput({
      blockId: block('title'),
      label: 'Title',
      value: values.title,
      optional: true,
      maxLength: titleLimit,
      hint: 'Default: the first line of the prompt.',
    }),
  ];
}

const restText = (rest: string) =>
  `Keep the other ${[...rest].length.toLocaleString('en')} characters, which are shown below`;

/** Max blocks for a text that is only read. The longest prompt fits. */
const mostPieces = 8;

const renderLimits = ({ metadata, values }: AutomationFormContent): KnownBlock[] => [
  textInput({
    blockId: blockIdOf(metadata, 'starts_per_hour'),
    label: 'Max runs per hour',
    value: values.starts_per_hour ?? `${defaultLimits.startsPerHour}`,
    maxLength: 4,
  }),
  textInput({
    blockId: blockIdOf(metadata, 'active_runs'),
    label: 'Max active runs',
    value: values.active_runs ?? `${defaultLimits.activeRuns}`,
    maxLength: 3,
    hint: 'What a limit stops is in the history.',
  }),
];
