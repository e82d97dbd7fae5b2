import { describe, expect, it } from 'vitest';
import { Inboxes } from '../../../src/inbox/inbox.ts';
import { createLogger } from '../../../src/lib/logger.ts';
import { createReplyIntake } from '../../../src/slack/replies/reply-intake.ts';
import { createStore } from '../../../src/store/store.ts';
import { openCountedSqlite } from '../../support/counted-sqlite.ts';

import { temporaryFolder } from '../../support/runs-service.ts';

const teamId = 'T1';
const threadTs = '100.000001';
const replyAt = (index: number, more: object = {}) => ({
  type: 'event_callback',
  event: {
    ...{ type: 'message', channel: 'C1', user: 'U1', text: 'go on' },
    ...{ ts: `200.${String(index).padStart(6, '0')}`, thread_ts: threadTs, ...more },
  },
});

/** A channel in which replies count, with one run in a thread. */
async function startIntake() {
  const { db, counted } = await openCountedSqlite(`${temporaryFolder()}/replies.db`);
  const store = createStore(db);
  const owner = { teamId, scope: 'channel', scopeId: 'C1' } as const;
  await store.settings.write(owner, 'runs.replies', true);
  await store.requests.accept({
    ...{ id: 'r1', teamId, creatorId: 'U1', channelId: 'C1', prompt: 'p', title: 't', config: {} },
    ...{ origin: { kind: 'mention', threadTs, ownsThread: true }, acceptedAt: 1 },
  });
  const told: string[] = [];
  const inboxes = new Inboxes({
    items: store.inbox,
    prepare: async () => {},
    readPassing: () => undefined,
    yieldToRequests: async () => {},
    logger: createLogger('silent'),
  });
  const running: Promise<void>[] = [];
  const take = createReplyIntake({
    ...store,
    inbox: inboxes.of(teamId),
    afterwards: (work: () => Promise<void>) => void running.push(work()),
    sendPrivately: async ({ text }: { text: string }) => void told.push(text),
    teamId: () => teamId,
    botUserId: () => 'U0AGENT',
  } as unknown as Parameters<typeof createReplyIntake>[0]);
  const stored = async () => (await db.selectFrom('inbox').select('id').execute()).length;
  return { db, counted, take, told, stored, untilTold: () => Promise.all(running) };
}

describe('taking replies', () => {
  it("costs no statement outside of threads, and no write in threads that aren't of runs", async () => {
    const { db, counted, take, stored } = await startIntake();
    counted.statements = 0;
    counted.flushes = 0;
    for (const other of [{ thread_ts: undefined }, { bot_id: 'B1' }, { text: '<@U2> hi' }])
      expect(await take(replyAt(1, other))).toBe(false);
    expect(counted.statements).toBe(0);
    expect(await take(replyAt(1, { channel: 'C2' }))).toBe(false);
    expect(await take(replyAt(1, { thread_ts: '101.000001' }))).toBe(false);
    const edited = { ts: '200.000009', edited: { ts: '201.000000' }, text: 'better' };
    const change = {
      subtype: 'message_changed',
      message: { ...replyAt(1).event, ...edited },
      previous_message: { ...replyAt(1).event, ts: edited.ts },
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
    for (let index = 3; index < 1_000; index += 1) expect(await take(replyAt(index))).toBe(true);
    await untilTold();
    expect(await stored()).toBe(29);
    expect(told).toEqual([expect.stringContaining('Only 30 replies a minute')]);
    await db.destroy();
  });
});
