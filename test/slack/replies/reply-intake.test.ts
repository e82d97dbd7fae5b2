import { createLogger } from 'base/logger';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../packages/runs-service/test/support/runs-service.ts';
import { Inboxes } from '../../../src/inbox/inbox.ts';
import { createAuthorNotifier } from '../../../src/slack/replies/reply-answers.ts';
import { createReplyIntake } from '../../../src/slack/replies/reply-intake.ts';
import { createStore } from '../../../src/store/store.ts';
import { openCountedSqlite } from '../../support/database/counted-sqlite.ts';

const teamId = 'T1';
const threadTs = '100.000001';
const replyAt = (index: number, more: object = {}) => ({
  type: 'event_callback',
  event: {
    type: 'message',
    channel: 'C1',
    user: 'U1',
    text: 'go on',
    ts: `200.${String(index).padStart(6, '0')}`,
    thread_ts: threadTs,
    ...more,
  },
});

const changeAt = (index: number, seconds: number, text: string | undefined, before = 'go on') => {
  const { channel, ...message } = { ...replyAt(index).event, text: before };
  const edited = { ...message, text, edited: { ts: `${200 + seconds}.000000` } };
  const subtype = text === undefined ? 'message_deleted' : 'message_changed';
  const about = { type: 'message', channel, subtype, hidden: true, ts: `${200 + seconds}.000000` };
  const changed = { ...about, previous_message: message, ...(text && { message: edited }) };
  return { type: 'event_callback', event: changed };
};

/** Prepares a channel in which replies count, with one run in a thread. */
async function startIntake() {
  const { db, counted } = await openCountedSqlite(`${temporaryFolder()}/replies.db`);
  const store = createStore(db);
  const owner = { teamId, scope: 'channel', scopeId: 'C1' } as const;
  await store.settings.write(owner, 'runs.replies', true);
  await store.requests.accept({
    id: 'r1',
    teamId,
    creatorId: 'U1',
    channelId: 'C1',
    prompt: 'p',
    title: 't',
    config: {},
    origin: { kind: 'mention', threadTs, ownsThread: true },
    acceptedAt: 1,
  });
  const told: string[] = [];
  const inboxes = new Inboxes({
    items: store.inbox,
    prepare: async () => {},
    readPassing: () => undefined,
    logger: createLogger('silent'),
  });
  const running: Promise<void>[] = [];
  const take = createReplyIntake({
    requests: store.requests,
    settings: store.settings,
    inbox: inboxes.of(teamId),
    outbox: store.outbox,
    wake: () => undefined,
    handleReply: () => Promise.reject(new Error('not expected')),
    tell: createAuthorNotifier({
      postPrivately: async (_, { text }) => void told.push(text),
      deliveries: store.deliveries,
    }),
    afterwards: (work) => void running.push(work()),
    teamId,
    botUserId: () => 'U0AGENT',
  });
  const stored = async () => (await db.selectFrom('inbox').select('id').execute()).length;
  /** Reads a reply's row in the inbox before the reply is handled. */
  const read = (index: number) => {
    const id = `message ${teamId} C1 ${threadTs} ${replyAt(index).event.ts}`;
    return store.inbox.change({ id, kind: 'reply' }, () => undefined);
  };
  return { db, store, counted, take, told, stored, read, untilTold: () => Promise.all(running) };
}

describe('a reply without a mention where only mentions are sent to runs', () => {
  it('gives the creator of the run one hint in each thread, and stays in the thread', async () => {
    const { db, store, take, stored, untilTold } = await startIntake();
    const owner = { teamId, scope: 'channel', scopeId: 'C1' } as const;
    await store.settings.write(owner, 'runs.replies', false);
    for (const [index, more] of [{ user: 'U2' }, {}, {}, { text: '<@U0AGENT> go' }].entries())
      expect(await take(replyAt(index, more))).toBe(false);
    await untilTold();
    expect(await stored()).toBe(0);
    const hints = await db
      .selectFrom('outbox')
      .selectAll()
      .where('kind', '=', 'mention-hint')
      .execute();
    expect(hints.map(({ request_id }) => request_id)).toEqual(['r1']);
    await db.destroy();
  });
});

describe('taking replies', () => {
  it("costs no statement outside of threads, and no write in threads that aren't of runs", async () => {
    const { db, counted, take, stored } = await startIntake();
    counted.statements = 0;
    counted.flushes = 0;
    for (const other of [{ thread_ts: undefined }, { bot_id: 'B1' }, { text: '<@U2> hi' }])
      expect(await take(replyAt(1, other))).toBe(false);
    expect(counted.statements).toBe(0);
    expect(await take(replyAt(1, { channel: 'C2' }))).toBe(false);
    const elsewhere = { thread_ts: '101.000001' };
    expect(await take(replyAt(1, elsewhere))).toBe(false);
    const edited = { ts: '200.000009', edited: { ts: '201.000000' }, text: 'better' };
    const change = {
      subtype: 'message_changed',
      message: { ...replyAt(1).event, ...edited, ...elsewhere },
      previous_message: { ...replyAt(1).event, ts: edited.ts, ...elsewhere },
    };
    expect(await take(replyAt(2, change))).toBe(false);
    expect(counted.flushes).toBe(0);
    expect(await stored()).toBe(0);
    await db.destroy();
  });

  it('takes thirty a minute in a thread, each once, and says so once', async () => {
    const { db, take, told, stored, untilTold } = await startIntake();
    for (const index of [1, 1, 2]) expect(await take(replyAt(index))).toBe(true);
    expect(await stored()).toBe(2);
    for (let index = 3; index < 100; index += 1) expect(await take(replyAt(index))).toBe(true);
    await untilTold();
    expect(await stored()).toBe(29);
    expect(told).toEqual([expect.stringContaining('the limit is 30 replies a minute')]);
    await db.destroy();
  });

  it("doesn't count edits and deletions as replies", async () => {
    const { db, take, told, stored, untilTold } = await startIntake();
    await take(replyAt(1));
    for (let index = 0; index < 40; index += 1) await take(changeAt(1, 10 + index, undefined));
    await take(replyAt(2));
    await untilTold();
    expect([told, await stored()]).toEqual([[], 2]);
    await db.destroy();
  });

  it('takes an edit or a deletion that comes before its reply, and the newest of two', async () => {
    const { db, take, read, stored } = await startIntake();
    await take(changeAt(1, 3, 'go slowly'));
    await take(replyAt(1));
    await take(changeAt(1, 2, 'go fast'));
    expect(await read(1)).toMatchObject({ message: { text: 'go slowly' }, isWithdrawn: false });
    await take(changeAt(2, 3, undefined));
    await take(changeAt(2, 2, 'go fast'));
    await take(replyAt(2));
    expect(await read(2)).toMatchObject({ isWithdrawn: true });
    await take(replyAt(3));
    await take(changeAt(3, 2, 'go home'));
    expect(await read(3)).toMatchObject({ message: { text: 'go home' } });
    await take(changeAt(4, 2, 'go on', '<@U2> go on'));
    expect(await read(4)).toBeUndefined();
    expect(await stored()).toBe(3);
    await db.destroy();
  });
});
