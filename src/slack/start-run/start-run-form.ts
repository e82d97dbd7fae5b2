/** The form that starts a run, as it is shown. */
import type { KnownBlock, ModalView } from '@slack/types';
import { channelInput, tickInput } from '../configuration/form-inputs.ts';
import { titleLimit } from '../runs/run-start.ts';
import { actions, button, context, limits, plain, textInput } from '../text/blocks.ts';
import { type FormContent, formIds } from './form-content.ts';
import { picker, renderTail } from './form-tail.ts';

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

/** The form holds the beginning of a long text; the rest goes along unless the person wants otherwise. */
function renderRest(length: number): KnownBlock[] {
  if (length === 0) return [];
  const text = `Send it too: ${length.toLocaleString('en')} characters`;
  return [
    tickInput({
      blockId: 'rest',
      label: 'The rest of the text',
      ticks: [{ value: 'rest', text, isTicked: true }],
    }),
  ];
}

function renderMain(content: FormContent): KnownBlock[] {
  const { values, metadata, threadTick, restLength = 0 } = content;
  const notify = { value: 'notify', text: 'Notify me when the run has ended' };
  return [
    textInput({
      blockId: 'prompt',
      label: 'What should the agent do?',
      value: values.prompt,
      multiline: true,
      placeholder: 'Count the TODO comments and say which file has most',
      ...(restLength > 0 && {
        hint: `A form takes ${limits.inputValue.toLocaleString('en')} characters: this is the beginning of the text.`,
      }),
    }),
    ...renderRest(restLength),
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
      hint: 'Where the agent works. Empty takes the default of the runs service.',
    }),
    channelInput({
      blockId: 'channel',
      label: 'Where to post',
      channelId: values.channel || undefined,
      ...(metadata.origin.threadTs && {
        hint: 'In the channel that this came from, the message goes into its thread.',
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
      label: 'Also',
      ticks: [{ ...notify, isTicked: metadata.origin.notify !== false }],
    }),
  ];
}
