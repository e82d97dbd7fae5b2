import type { App } from '@slack/bolt';
import type { KnownBlock } from '@slack/types';
import { option, plain } from './sample-modal.ts';

const input = (block_id: string, element: object): KnownBlock => {
  const block = {
    type: 'input',
    block_id,
    label: plain(`Field ${block_id}`),
    optional: true,
    element: { action_id: 'value', ...element },
  };
  return JSON.parse(JSON.stringify(block));
};

const text = (block_id: string) => input(block_id, { type: 'plain_text_input' });
const options = ['a', 'b', 'c'].map((each) => option(each));

/** Registers a form that is longer than the screen. Its first field names the fields that get an error. */
export function registerLongForm(app: App): void {
  app.command('/try', async ({ ack, client, command }) => {
    await ack();
    await client.views.open({
      trigger_id: command.trigger_id,
      view: {
        type: 'modal',
        callback_id: 'long',
        title: plain('Start an agent run'),
        submit: plain('Go'),
        blocks: [
          { ...input('wrong', { type: 'plain_text_input' }), label: plain('Wrong') } as KnownBlock,
          input('pick', { type: 'static_select', options }),
          ...Array.from({ length: 6 }, (_, index) => text(`text-${index}`)),
          input('ticks', { type: 'checkboxes', options }),
          ...Array.from({ length: 6 }, (_, index) => text(`text-${index + 6}`)),
          input('radio', { type: 'radio_buttons', options }),
          input('last', { type: 'plain_text_input', multiline: true }),
        ],
      },
    });
  });
  app.view('long', async ({ ack, view }) => {
    const named = view.state.values['wrong']?.['value']?.value ?? '';
    const errors = named.split(' ').map((name) => [name, `${name} is wrong. `.repeat(12)]);
    await ack({ response_action: 'errors', errors: Object.fromEntries(errors) });
  });
}
