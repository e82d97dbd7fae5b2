import { expect, it } from 'vitest';
import type { RunDraft } from '../../../src/slack/runs/acting/run-start.ts';
import { createContextTexts } from '../../../src/slack/runs/reading/context-texts.ts';
import { registerMessageShortcut } from '../../../src/slack/shortcuts/message-shortcut.ts';
import { createBoltApp } from '../../support/bolt-app.ts';
import { listen } from '../../support/listen.ts';

const shortcut = {
  type: 'message_action',
  callback_id: 'message-shortcut:run',
  trigger_id: '1.2.a',
  team: { id: 'T1', domain: 'acme' },
  user: { id: 'U1', name: 'ada' },
  channel: { id: 'C1', name: 'general' },
  message: {
    type: 'message',
    user: 'U2',
    text: 'the login page is blank',
    ts: '1700000000.000100',
  },
};

/** Uses the shortcut. Returns the drafts with which the form was opened. */
async function use(body: object): Promise<RunDraft[]> {
  const app = createBoltApp({
    authorize: async () => ({ botToken: 'xoxb-1', botId: 'B1', botUserId: 'U0' }),
  });
  const { listeners, deliver } = listen(app);
  const opened: RunDraft[] = [];
  registerMessageShortcut(listeners, {
    openForm: async (_client, _asker, draft) => void opened.push(draft),
    readThread: async () => ({ closed: '' }),
    readPermalink: async () => undefined,
    readNames: async () => new Map(),
    texts: createContextTexts({
      teamId: 'T1',
      botId: () => 'B1',
      botUserId: () => 'U0',
      requests: { findOfPosts: async () => new Map(), sessionsAmong: async () => [] },
    }),
  });
  await deliver({ body: { ...body }, ack: async () => {} });
  return opened;
}

it.each([
  ['with a time', { ...shortcut, message_ts: shortcut.message.ts }],
  ['with a time only in the message', shortcut],
  [
    'with a time only outside the message',
    { ...shortcut, message_ts: shortcut.message.ts, message: { text: shortcut.message.text } },
  ],
])('a message shortcut %s opens the form for that message', async (_, body) => {
  expect(await use(body)).toMatchObject([
    {
      prompt: 'the login page is blank',
      origin: {
        threadTs: '1700000000.000100',
        source: { channelId: 'C1', ts: '1700000000.000100' },
      },
    },
  ]);
});
