/** Renders the form that starts a run. */
import type { KnownBlock, ModalView } from '@slack/types';
import { channelInput, tickInput } from '../configuration/form-inputs.ts';
import { titleLimit } from '../runs/run-start.ts';
import { actions, button, context, limits, plain, textInput } from '../text/blocks.ts';
import { type FormContent, formIds } from './form-content.ts';
import { formConfigInputs, renderTail } from './form-tail.ts';

export function renderStartRunForm(content: FormContent): ModalView {
  const { metadata, notices = [] } = content;
  return {
    type: 'modal',
    callback_id: formIds.view,
    private_metadata: JSON.stringify(metadata),
    title: plain('Start an agent run', 24),
    submit: plain('Start', 24),
    close: plain('Cancel', 24),
    blocks: [
      ...notices.map((notice) => context(notice)),
      ...renderMain(content),
      ...(metadata.isWhole
        ? renderTail(content)
        : [{ ...actions([button(formIds.more, 'More options')]), block_id: 'more' }]),
    ],
  };
}

/** The form shows the beginning of a long prompt. The rest is sent too, unless the person says no. */
function renderRest(length: number): KnownBlock[] {
  if (length === 0) return [];
  const text = `Also send the other ${length.toLocaleString('en')} characters`;
  return [
    tickInput({
      blockId: 'rest',
      label: 'Rest of the prompt',
      ticks: [{ value: 'rest', text, isTicked: true }],
    }),
  ];
}

function renderMain(content: FormContent): KnownBlock[] {
  const { values, metadata, threadTick, restLength = 0 } = content;
  const notify = { value: 'notify', text: 'When the run ends' };
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
    ...renderRest(restLength),
    textInput({
      blockId: 'title',
      label: 'Title',
      value: values.title,
      optional: true,
      maxLength: titleLimit,
      hint: 'Default: the first line of the prompt.',
    }),
    formConfigInputs(content).environment_id,
    channelInput({
      blockId: 'channel',
      label: 'Post to',
      channelId: values.channel || undefined,
      ...(metadata.origin.threadTs && {
        hint: 'In the original channel, the run message goes into the thread.',
      }),
    }),
    ...(threadTick
      ? [
          tickInput({
            blockId: 'context',
            label: 'Thread',
            ticks: [{ value: 'thread', ...threadTick }],
          }),
        ]
      : []),
    tickInput({
      blockId: 'ticks',
      label: 'Notifications',
      ticks: [{ ...notify, isTicked: metadata.origin.notify !== false }],
    }),
  ];
}
