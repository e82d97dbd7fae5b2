import type { Message } from 'slack-stand-in';
import { beforeEach } from 'vitest';
import { useWorkspace } from '../../packages/slack-stand-in/test/support/use-workspace.ts';
import { createLogger } from '../../src/lib/logger.ts';
import { createWebClient } from '../../src/slack/connection/web-client.ts';
import { createSlackClock } from '../../src/slack/posting/slack-clock.ts';
import { createSlackNotices } from '../../src/slack/run-message/slack-notices.ts';
import { createSlackRunMessages } from '../../src/slack/run-message/slack-run-messages.ts';
import { createStore } from '../../src/store/store.ts';
import { advanceLeased } from './advance-leased.ts';
import { aRun } from './builders.ts';
import { useDatabase } from './databases.ts';

const channel = 'C04ENGINEER';
const budget = { take: () => 0, reserve: () => 0, pause: () => undefined };

/** A local workspace and one request that the test advances step by step. */
export function useRunInSlack() {
  const { startWorkspace } = useWorkspace();
  const database = useDatabase();

  async function forgetAll(): Promise<void> {
    await database().deleteFrom('requests').execute();
    await database().deleteFrom('notices').execute();
  }
  beforeEach(forgetAll);

  /** Creates one request in the local workspace. In a round, a follower leases and advances it. */
  async function start() {
    const workspace = await startWorkspace();
    const client = createWebClient({ ...workspace, logger: createLogger('silent') });
    const creatorId = workspace.people[0]?.id ?? '';
    const asked = { teamId: 'T1', creatorId, channelId: channel, prompt: 'p', title: 'Count' };
    const store = createStore(database()).following;
    const { requests, leases } = store;
    await requests.accept({ id: 'r1', ...asked, config: {}, acceptedAt: Date.now() });
    let run = aRun({ updated_at: new Date().toISOString() });
    const parts = {
      ...store,
      runs: {
        create: async () => run,
        get: async () => run,
        serviceNowMs: () => undefined,
      } as never,
      messages: createSlackRunMessages({ client, budget, clock: createSlackClock() }),
      notices: createSlackNotices({
        clock: createSlackClock(),
        budget,
        client,
        watchers: { list: async () => [] },
        settings: { read: async () => undefined },
        readNames: async () => new Map(),
      }),
      logger: createLogger('silent'),
    };
    const works = async (noticeStore = parts.noticeStore) => {
      const due = { due_at: 1, look_at: 1, lease_owner: null, lease_until: 0 };
      await database().updateTable('requests').set(due).execute();
      const [leased] = await leases.claim('me', 60_000, 1);
      if (!leased) throw new Error('nothing is due');
      await advanceLeased({ ...parts, noticeStore }, leased);
    };
    /** A round that is killed after so many calls of the notices store, unless it ends first. */
    const worksUntilKilled = async (afterCalls: number) => {
      let calls = 0;
      let kill = () => {};
      const killed = new Promise<void>((resolve) => {
        kill = resolve;
      });
      const dying = new Proxy(parts.noticeStore, {
        get:
          (target, name) =>
          async (...given: unknown[]) => {
            const done: unknown = await Reflect.get(target, name)(...given);
            calls += 1;
            if (calls < afterCalls) return done;
            kill();
            return new Promise(() => {});
          },
      });
      await Promise.race([works(dying), killed]);
      return calls >= afterCalls;
    };
    const all = (): Message[] =>
      workspace.channels
        .flatMap(({ id }) => workspace.messagesIn(id))
        .filter(({ botId }) => botId === workspace.bot.botId);
    return {
      works,
      worksUntilKilled,
      refuse: (method: string, error: string) =>
        workspace.faults.inject({ name: 'error_answer', method, error }),
      inject: workspace.faults.inject.bind(workspace.faults),
      stored: () => requests.find('r1'),
      end: () => {
        run = { ...run, state: 'SUCCEEDED' };
      },
      block: () => {
        run = { ...run, state: 'BLOCKED' };
      },
      /** In posting order. */
      threads: () => all().map(({ ts, threadTs }) => ({ ts, below: threadTs })),
      /** Each post in order: `here` or `direct`, and its bold words or its first line. */
      shown: () =>
        all().map(({ channelId, blocks, text }) => [
          channelId === channel ? 'here' : 'direct',
          blocks ? (/\*([^*]+)\*/.exec(JSON.stringify(blocks))?.[1] ?? '') : text.split('\n')[0],
        ]),
    };
  }

  return { start, forgetAll, database };
}
