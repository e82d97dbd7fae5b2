import { WebAPIPlatformError, WebAPIRequestError } from '@slack/web-api';
import { createLogger } from 'base/logger';
import { expect, it, onTestFinished, vi } from 'vitest';
import { createConversationReader } from '../../../src/slack/people/conversation-reader.ts';
import { createConversations } from '../../../src/store/people/conversations.ts';
import { createRequests } from '../../../src/store/requests/requests.ts';
import { AnsweringClient } from '../../support/answering-client.ts';
import { useDatabase } from '../../support/database/databases.ts';

const teamId = 'T1';
const minuteMs = 60_000;
const rejectedBySlack = (error: string) => new WebAPIPlatformError({ ok: false, error });
const database = useDatabase();

type Info = { channel: object } | Error;

/** Creates a reader of one conversation for which Slack returns these facts. */
function readerOf(
  answers: Info[],
  pages: readonly (readonly string[])[] = [[]],
  conversations = createConversations(database()),
) {
  const info = vi.fn(async () => {
    const answer = answers.length > 1 ? answers.shift() : answers[0];
    if (answer instanceof Error) throw answer;
    return answer;
  });
  const members = vi.fn(async ({ cursor = '0' }: { cursor?: string }) => ({
    members: pages[Number(cursor)],
    response_metadata: {
      next_cursor: Number(cursor) + 1 < pages.length ? `${Number(cursor) + 1}` : '',
    },
  }));
  const reader = createConversationReader({
    conversations,
    clientOf: () =>
      new AnsweringClient({ 'conversations.info': info, 'conversations.members': members }),
    logger: createLogger('silent'),
  });
  reader.start();
  onTestFinished(() => reader.stop());
  return { reader, info, members };
}

async function stored(id: string) {
  const row = await database()
    .selectFrom('conversations')
    .select(['is_public', 'checked_at'])
    .where('id', '=', id)
    .executeTakeFirst();
  const members = await database()
    .selectFrom('conversation_members')
    .select('user_id')
    .where('conversation_id', '=', id)
    .orderBy('user_id')
    .execute();
  return row?.checked_at
    ? { isPublic: row.is_public === 1, members: members.map((each) => each.user_id) }
    : undefined;
}

async function reads(id: string) {
  await expect.poll(() => stored(id)).toBeDefined();
  return stored(id);
}

const place = (conversationId: string) => ({ teamId, conversationId });

it('reads a public channel without its members', async () => {
  const { reader, members } = readerOf([{ channel: { is_private: false } }]);
  reader.note(place('C1'));
  expect(await reads('C1')).toEqual({ isPublic: true, members: [] });
  expect(members).not.toHaveBeenCalled();
});

it.each([
  ['a private channel', { is_private: true }],
  ['a group DM', { is_private: false, is_mpim: true }],
  ['a conversation that Slack says nothing about', {}],
])('reads all members of %s', async (kind, channel) => {
  const { reader } = readerOf([{ channel }], [['U1', 'U2'], ['U3']]);
  reader.note(place(kind));
  expect(await reads(kind)).toEqual({ isPublic: false, members: ['U1', 'U2', 'U3'] });
});

it("keeps a conversation private that Slack doesn't show to the app", async () => {
  const { reader } = readerOf([rejectedBySlack('channel_not_found')]);
  reader.note(place('C5'));
  expect(await reads('C5')).toEqual({ isPublic: false, members: [] });
});

it('asks again when Slack fails', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
  onTestFinished(() => void vi.useRealTimers());
  const { reader, info } = readerOf([
    new WebAPIRequestError(new Error('gone')),
    { channel: { is_private: false } },
  ]);
  reader.note(place('C6'));
  await expect.poll(() => info.mock.calls.length).toBe(1);
  await vi.advanceTimersByTimeAsync(minuteMs);
  expect(await reads('C6')).toMatchObject({ isPublic: true });
  expect(info).toHaveBeenCalledTimes(2);
});

it('reads conversations that a killed process left unread, and no direct messages', async () => {
  for (const channelId of ['C7', 'D7'])
    await createRequests(database()).accept({
      id: channelId,
      teamId,
      channelId,
      creatorId: 'U1',
      prompt: 'x',
      title: 'x',
      config: {},
      acceptedAt: 1,
    });
  const { reader, info } = readerOf([{ channel: { is_private: false } }]);
  expect(await reads('C7')).toMatchObject({ isPublic: true });
  reader.note(place('D8'));
  expect(info.mock.calls.flat()).toEqual([{ channel: 'C7' }]);
});

it('stores a conversation once, however many runs start there', async () => {
  const conversations = createConversations(database());
  const note = vi.fn(conversations.note);
  const { reader } = readerOf([{ channel: { is_private: false } }], [[]], {
    ...conversations,
    note,
  });
  reader.note(place('C9'));
  await reads('C9');
  reader.note(place('C9'));
  reader.note(place('C10'));
  await reads('C10');
  expect(note.mock.calls.flat()).toEqual([place('C9'), place('C10')]);
});
