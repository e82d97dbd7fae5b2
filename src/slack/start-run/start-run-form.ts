/** Renders the form that starts a run. */
import type { KnownBlock, ModalView } from '@slack/types';
import { titleLimit } from '../runs/showing/run-label.ts';
import { actions, button, context, modal, textInput } from '../text/blocks.ts';
import { limits } from '../text/escape-text.ts';
import { channelInput, checkboxInput } from '../text/form-inputs.ts';
import { type FormContent, type FormMetadata, formIds, sharedKeys } from './form-content.ts';
import { formConfigInputs, renderMoreOptions } from './more-options.ts';

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
    // Its draft is deleted then.
    notify_on_close: true,
  };
}

const shown = { title: 'Start an agent run', submit: 'Start', callbackId: formIds.view };

/** The form shows the beginning of a long prompt. The rest is sent too, unless the person says no. */
function renderRest(length: number): KnownBlock[] {
  if (length === 0) return [];
  const text = `Also send the other ${length.toLocaleString('en')} characters`;
  return [
    checkboxInput({
      blockId: 'rest',
      label: 'Rest of the prompt',
      boxes: [{ value: 'rest', text, isChecked: true }],
    }),
  ];
}

function renderMain(content: FormContent): KnownBlock[] {
  const { values, metadata, threadCheckbox, filesText, restLength = 0 } = content;
  const notify = { value: 'notify', text: 'When the run ends' };
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
    ...renderRest(restLength),
    textInput({
      blockId: 'title',
      label: 'Title',
      value: values.title,
      optional: true,
      maxLength: titleLimit,
      hint: 'Default: the first line of the prompt.',
    }),
    ...(connection ? [connection] : []),
    environment,
    channelInput({
      blockId: 'channel',
      label: 'Post to',
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
