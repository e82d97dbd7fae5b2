import type { KnownBlock, ModalView } from '@slack/types';

export const plain = (text: string) => ({ type: 'plain_text' as const, text });
export const mrkdwn = (text: string) => ({ type: 'mrkdwn' as const, text });
export const option = (value: string, text = value) => ({ text: plain(text), value });

type InputElement = Extract<KnownBlock, { type: 'input' }>['element'];
const input = (blockId: string, label: string, element: InputElement): KnownBlock => ({
  type: 'input',
  block_id: blockId,
  label: plain(label),
  optional: blockId !== 'prompt',
  element,
});

/** Returns a modal with every kind of input. `more` adds the inputs that its checkbox shows. */
export function everythingModal(prompt: string, more = false): ModalView {
  const groups = ['Fast', 'Thorough'].map((label) => ({
    label: plain(label),
    options: [1, 2, 3].map((number) => option(`${label}-${number}`, `${label} model ${number}`)),
  }));
  const blocks: KnownBlock[] = [
    input('prompt', 'Prompt', {
      type: 'plain_text_input',
      action_id: 'text',
      multiline: true,
      initial_value: prompt,
      placeholder: plain('What should the agent do?'),
    }),
    input('environment', 'Environment', {
      type: 'external_select',
      action_id: 'environment',
      min_query_length: 0,
      placeholder: plain('Choose an environment'),
    }),
    input('model', 'Model', { type: 'static_select', action_id: 'model', option_groups: groups }),
    input('skills', 'Skills', {
      type: 'multi_static_select',
      action_id: 'skills',
      options: ['review', 'test', 'docs'].map((value) => option(value)),
    }),
    input('channel', 'Post in', { type: 'conversations_select', action_id: 'channel' }),
    input('who', 'Tell', { type: 'multi_users_select', action_id: 'who' }),
    input('effort', 'Effort', {
      type: 'radio_buttons',
      action_id: 'effort',
      options: [option('low', 'Low'), option('high', 'High')],
    }),
    { type: 'section', block_id: 'long', text: mrkdwn('*Long tail*'), accessory: moreChoice(more) },
    input('count', 'Copies', {
      type: 'number_input',
      action_id: 'count',
      is_decimal_allowed: false,
    }),
    input('day', 'Not before', { type: 'datepicker', action_id: 'day' }),
    input('hour', 'Hour', { type: 'timepicker', action_id: 'hour' }),
    {
      type: 'actions',
      block_id: 'deeper',
      elements: [{ type: 'button', action_id: 'push', text: plain('Look deeper') }],
    },
  ];
  const extra = input('base', 'Base prompt', { type: 'plain_text_input', action_id: 'base' });
  return {
    type: 'modal',
    callback_id: 'everything',
    title: plain('Start an agent run'),
    submit: plain('Start run'),
    close: plain('Cancel'),
    blocks: more ? [...blocks, extra] : blocks,
  };
}

function moreChoice(isOn: boolean) {
  const options = [option('more', 'Show more options')];
  const initial = isOn && { initial_options: options };
  return { type: 'checkboxes' as const, action_id: 'more', options, ...initial };
}
