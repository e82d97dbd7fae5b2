/** The form that starts a run, as it is shown. */
import type { KnownBlock, ModalView } from '@slack/types';
import { actions, button, context, limits, plain, textInput } from '../blocks.ts';
import { channelInput, tickInput } from '../form-inputs.ts';
import { titleLimit } from '../run-start.ts';
import { type FormContent, formIds } from './form-content.ts';
import { picker, renderTail } from './form-tail.ts';

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
