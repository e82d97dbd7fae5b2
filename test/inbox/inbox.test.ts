import { once } from 'node:events';
import { WebAPIRateLimitedError } from '@slack/web-api';
import { StoreUnavailable } from 'base/database/store-unavailable';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { z } from 'zod';
import { createLineLogger } from '../../packages/base/test/support/line-logger.ts';
import { signal } from '../../packages/base/test/support/signal.ts';
import { Inboxes, type InboxKind } from '../../src/inbox/inbox.ts';
import { readTransientFailure } from '../../src/slack/posting/slack-failure.ts';
import { createInboxItems } from '../../src/store/inbox/inbox-items.ts';
import { useDatabase } from '../support/database/databases.ts';

const minuteMs = 60_000;
const rateLimited = (seconds: number) => new WebAPIRateLimitedError(seconds);
const schema = z.object({ text: z.string() });
type Kind = InboxKind<z.infer<typeof schema>>;

describe('the inbox', () => {
  const database = useDatabase();
  beforeEach(async () => void (await database().deleteFrom('inbox').execute()));

  function createInbox(kind: Omit<Kind, 'schema'>) {
    const { logger, lines } = createLineLogger();
    const items = createInboxItems(database());
    const prepare = async () => {};
    const inbox = new Inboxes({ items, prepare, readPassing: readTransientFailure, logger });
    const intake = inbox.of('T1').register('mention', { schema, ...kind });
    onTestFinished(() => inbox.stop());
    return { inbox, intake, lines };
  }
  const stored = () => database().selectFrom('inbox').selectAll().execute();
  const untilHandled = () =>
    expect.poll(async () => (await stored()).every((each) => each.handled_at)).toBe(true);

  it('handles what was stored, in the order of its arrival, once', async () => {
    const handled: string[] = [];
    const { inbox, intake } = createInbox({
      handle: async ({ text }) => {
        handled.push(text);
        return 'done';
      },
    });
    for (const key of ['c', 'a', 'b', 'c']) await intake.add(key, { text: key });
    inbox.start();
    await untilHandled();
    expect(handled).toEqual(['c', 'a', 'b']);
  });

  it('handles one item of each workspace at once, so that none waits for the calls of another one', async () => {
    const begun: string[] = [];
    const { inbox, intake } = createInbox({
      async handle({ text }, stopping) {
        begun.push(text);
        await once(stopping, 'abort');
        return { againAt: Date.now() };
      },
    });
    const [handled, markHandled] = signal();
    const other = inbox.of('T2').register('mention', {
      schema,
      async handle() {
        markHandled();
        return 'done';
      },
    });
    for (const text of ['first', 'second']) await intake.add(text, { text });
    await other.add('theirs', { text: 'theirs' });
    inbox.start();
    await handled;
    expect(begun).toEqual(['first']);
  });

  it('handles as one kind what arrives as two that share their keys', async () => {
    const handled: string[] = [];
    const handler = (kind: string): Kind => ({
      schema,
      keys: 'message',
      handle: async () => {
        handled.push(kind);
        return 'done';
      },
    });
    const { inbox, intake: mentions } = createInbox(handler('mention'));
    const replies = inbox.of('T1').register('reply', handler('reply'));
    for (const [first, second] of [[mentions, replies] as const, [replies, mentions] as const]) {
      const key = `${handled.length}`;
      await first.add(key, { text: key });
      await second.add(key, { text: key });
      inbox.start();
      await untilHandled();
    }
    expect(handled).toEqual(['mention', 'reply']);
  });

  type Failing = { giveUp?: Kind['giveUp']; error?: Error };

  /** Creates an inbox whose only item always fails and was received this long ago. */
  async function fail(agoMs: number, { giveUp, error = new Error('never works') }: Failing = {}) {
    const [tried, markTried] = signal();
    const { inbox, intake, lines } = createInbox({
      async handle() {
        markTried();
        throw error;
      },
      ...(giveUp && { giveUp }),
    });
    await intake.add('Ev1', { text: 'go' });
    await database()
      .updateTable('inbox')
      .set({ received_at: Date.now() - agoMs })
      .execute();
    inbox.start();
    await tried;
    return { inbox, lines };
  }

  it('retries what fails, with a backoff', async () => {
    const beganAt = Date.now();
    const { inbox, lines } = await fail(minuteMs);
    await inbox.stop();
    expect(await stored()).toMatchObject([{ handled_at: null, failures: 1 }]);
    expect((await stored())[0]?.due_at).toBeGreaterThan(beganAt + 500);
    expect(lines).toMatchObject([{ level: 50 }]);
  });

  it('waits as long as Slack asks, without an error in the log', async () => {
    const beganAt = Date.now();
    const { inbox, lines } = await fail(minuteMs, { error: rateLimited(600) });
    await inbox.stop();
    expect(await stored()).toMatchObject([{ handled_at: null, failures: 1 }]);
    expect((await stored())[0]?.due_at).toBeGreaterThanOrEqual(beganAt + 600_000);
    expect(lines).toMatchObject([{ level: 40, reason: 'ratelimited' }]);
  });

  it('gives up what Slack keeps limiting', async () => {
    const giveUp = vi.fn();
    await fail(31 * minuteMs, { giveUp, error: rateLimited(600) });
    await untilHandled();
    expect(giveUp).toHaveBeenCalledOnce();
  });

  it('retries at once after a restart', async () => {
    const { inbox } = await fail(minuteMs);
    await inbox.stop();
    const next = createInbox({ handle: async () => 'done' });
    await database()
      .updateTable('inbox')
      .set({ due_at: Date.now() + minuteMs })
      .execute();
    next.inbox.start();
    await untilHandled();
  });

  it('gives up what still fails after half an hour, and says so', async () => {
    const givenUp = vi.fn();
    const { lines } = await fail(31 * minuteMs, { giveUp: givenUp });
    await untilHandled();
    expect(await stored()).toMatchObject([{ handled_at: expect.any(Number) }]);
    expect(givenUp).toHaveBeenCalledWith({ text: 'go' });
    expect(lines).toMatchObject([{ level: 50, msg: expect.stringContaining('keeps failing') }]);
  });

  it('drops what another version wrote and nobody can read', async () => {
    const handle = vi.fn();
    const { inbox, lines } = createInbox({ handle });
    const item = { id: 'mention T1 Ev1', kind: 'mention', teamId: 'T1', content: { words: 1 } };
    await createInboxItems(database()).add(item);
    inbox.start();
    await untilHandled();
    expect(handle).not.toHaveBeenCalled();
    expect(lines).toMatchObject([{ level: 50, msg: expect.stringContaining('unreadable') }]);
  });

  it('leaves alone what this process works on, until that has ended', async () => {
    const handle = vi.fn();
    const { inbox, intake } = createInbox({ handle });
    const [working, end] = signal();
    inbox.start();
    await intake.addWhile('click', { text: 'go' }, working);
    expect(await stored()).toMatchObject([{ handled_at: null, due_at: null }]);
    end();
    await untilHandled();
    expect(handle).not.toHaveBeenCalled();
  });

  it('leaves to the next process what fails because this one stops', async () => {
    const { inbox, intake } = createInbox({ handle: vi.fn() });
    let fail = (_: Error) => {};
    const working = new Promise((_, reject) => {
      fail = reject;
    });
    inbox.start();
    await intake.addWhile('click', { text: 'go' }, working);
    const stopped = inbox.stop();
    fail(new Error('aborted'));
    await stopped;
    expect(await stored()).toMatchObject([{ handled_at: null, lease_owner: null }]);
    expect((await stored())[0]?.due_at).toBeLessThanOrEqual(Date.now());
  });

  it("handles again what this process couldn't save", async () => {
    const handle = vi.fn(async () => 'done' as const);
    const { inbox, intake } = createInbox({ handle });
    let fail = (_: Error) => {};
    const working = new Promise((_, reject) => {
      fail = reject;
    });
    inbox.start();
    await intake.addWhile('click', { text: 'go' }, working);
    fail(new StoreUnavailable('undone'));
    await untilHandled();
    expect(handle).toHaveBeenCalledOnce();
  });
});
