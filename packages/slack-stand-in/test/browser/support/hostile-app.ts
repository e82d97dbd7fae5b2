import type { App } from '@slack/bolt';
import type { KnownBlock } from '@slack/types';
import { hostile, hostileEscaped } from './hostile-text.ts';
import { mrkdwn, option, plain } from './sample-modal.ts';

const raw = plain(hostile.slice(0, 75));
const cut = option('1', hostile.slice(0, 75));
/** The text escaped, as by a careful app, and unescaped, as by a careless one. */
const both = [hostileEscaped, hostile];

export const hostileBlocks: KnownBlock[] = [
  { type: 'header', text: plain(hostile) },
  ...both.map((text): KnownBlock => ({ type: 'section', text: mrkdwn(text) })),
  { type: 'section', fields: both.map(mrkdwn) },
  { type: 'context', elements: both.map(mrkdwn) },
  {
    type: 'rich_text',
    elements: [
      {
        type: 'rich_text_section',
        elements: [
          { type: 'text', text: hostile },
          { type: 'link', url: 'javascript:window.hacked=1', text: 'a bad link' },
          { type: 'emoji', name: '"><img src=x onerror=window.hacked=1>' },
        ],
      },
    ],
  },
  {
    type: 'section',
    text: mrkdwn('<javascript:window.hacked=1|bad> `<img src=x>` ```<script>```'),
  },
  {
    type: 'image',
    image_url: 'https://example.com/x.png',
    alt_text: hostile,
    title: plain(hostile),
  },
  {
    type: 'actions',
    elements: [
      { type: 'button', action_id: 'press', text: raw, value: hostile },
      { type: 'overflow', action_id: 'over', options: [cut, option('2', 'other')] },
      { type: 'static_select', action_id: 'pick', placeholder: raw, options: [cut] },
    ],
  },
];

export function registerHostileApp(app: App): void {
  app.command('/try', async ({ ack, client, command }) => {
    await ack({ text: hostile });
    await client.views.open({ trigger_id: command.trigger_id, view: hostileModal() });
  });
  app.view('hostile', async ({ ack }) => {
    await ack({ response_action: 'errors', errors: { what: hostile } });
  });
  app.options('search', async ({ ack }) => {
    await ack({ option_groups: [{ label: raw, options: [cut] }] });
  });
  app.action('press', async ({ ack }) => {
    await ack();
  });
  app.event('app_home_opened', async ({ event, client }) => {
    if (event.tab !== 'home') return;
    await client.views.publish({
      user_id: event.user,
      view: { type: 'home', blocks: hostileBlocks },
    });
  });
}

function hostileModal() {
  return {
    type: 'modal' as const,
    callback_id: 'hostile',
    title: plain('<img src=x onerror=1>'),
    submit: plain('<b>Go</b>'),
    close: plain('<i>No</i>'),
    blocks: [
      {
        type: 'input' as const,
        block_id: 'what',
        label: plain(hostile),
        hint: plain(hostile),
        element: {
          type: 'plain_text_input' as const,
          action_id: 'text',
          initial_value: hostile,
          placeholder: plain(hostile),
        },
      },
      {
        type: 'section' as const,
        text: mrkdwn(hostile),
        accessory: {
          type: 'external_select' as const,
          action_id: 'search',
          min_query_length: 0,
          placeholder: plain('Search hostile things'),
        },
      },
    ],
  };
}
