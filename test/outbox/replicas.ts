import { LeaseLost } from 'base/leased-work';
import { createLogger } from 'base/logger';
import { beforeEach } from 'vitest';
import { signal } from '../../packages/base/test/support/signal.ts';
import type { OutboxLeases } from '../../src/store/outbox/outbox-leases.ts';
import { pendingRun } from '../../src/store/requests/request-row.ts';
import type { Db } from '../../src/store/schema.ts';
import { createStore } from '../../src/store/store.ts';
import { aRun } from '../support/builders.ts';
import { passTime } from '../support/database/pass-time.ts';
import { storedRequest } from '../support/database/stored-request.ts';
import { attribution, caps, files } from '../support/posting/no-files.ts';
import { type WorkThroughDeps, workThrough } from '../support/posting/work-through.ts';
import { createHeldSlack, type HeldMethod } from './held-slack.ts';

/** Longer than Slack may take to show a post, in ms. */
export const pastSettledMs = 8_000;

type Paused = { leases: OutboxLeases };

/** Pauses the next matching call of a method like a frozen process, before or after it writes. */
export function pauseIn<Part extends object, Name extends keyof Part>(
  part: Part,
  name: Name,
  when: 'before' | 'after',
  isIt: (...args: Parameters<Extract<Part[Name], (...args: never[]) => unknown>>) => boolean = () =>
    true,
) {
  const call = part[name] as (...args: unknown[]) => Promise<unknown>;
  const [reached, reach] = signal();
  const [going, goOn] = signal();
  let isOver = false;
  const pausing = async (...args: unknown[]) => {
    if (isOver || !isIt(...(args as Parameters<typeof isIt>))) return call(...args);
    isOver = true;
    const written = when === 'after' ? call(...args) : undefined;
    await written;
    reach();
    await going;
    return written ?? call(...args);
  };
  return { part: { ...part, [name]: pausing } as Part, reached, goOn };
}

/** Creates one request before each test, and replicas that work on it when the test says so. */
export function useReplicas(database: () => Db) {
  let run = aRun();
  let created = 0;
  beforeEach(async () => {
    for (const table of ['requests', 'outbox'] as const)
      await database().deleteFrom(table).execute();
    const asked = { teamId: 'T1', creatorId: 'U1', channelId: 'C1', prompt: 'p', title: 't' };
    const { requests } = createStore(database());
    await requests.accept({ id: 'r1', ...asked, config: {}, acceptedAt: Date.now() });
    run = aRun({ updated_at: new Date().toISOString() });
    created = 0;
  });

  /** Creates a separate replica that shares the Slack of the others. Its run has ended when the replica polls it. */
  function replica(slack: ReturnType<typeof createHeldSlack>, changes: Partial<Paused> = {}) {
    const store = createStore(database());
    const logger = createLogger('silent');
    const unexpected = () => {
      throw new Error('not expected');
    };
    const following: WorkThroughDeps['following'] = {
      ...store.following,
      files,
      attribution,
      caps,
      runs: {
        create: async () => {
          created += 1;
          return { run_id: 'run-1', state: 'QUEUED' };
        },
        get: async () => run,
        findCreated: unexpected,
        cancel: unexpected,
        publish: unexpected,
        changePullRequest: unexpected,
        answer: unexpected,
        followUp: unexpected,
        serviceNowMs: () => undefined,
      },
      logger,
    };
    const posting: WorkThroughDeps['posting'] = {
      store: { ...store.posting, ...changes },
      kinds: slack.kinds(database()),
      nowMs: () => Date.now(),
      remove: slack.remove,
      wakeFollower: () => undefined,
      logger,
    };
    return {
      /** Works on everything that is due. Returns "lost" if another replica took a lease meanwhile. */
      async works(): Promise<'done' | 'lost' | 'nothing to do'> {
        try {
          const count = await workThrough({ following, posting });
          return count === 0 ? 'nothing to do' : 'done';
        } catch (error) {
          if (error instanceof LeaseLost) return 'lost';
          throw error;
        }
      },
    };
  }

  /** Creates two replicas. The first one stops in a call to Slack, before or after it takes effect. */
  async function stopFirstIn(
    when: 'before' | 'after',
    method: HeldMethod,
    slack = createHeldSlack(),
  ) {
    const [first, second] = [replica(slack), replica(slack)];
    const call = when === 'before' ? slack.holdBefore(method) : slack.holdAfter(method);
    const firstDone = first.works();
    await call.reached;
    return { slack, second, call, firstDone };
  }

  /** Has the same effect as waiting: leases end, and later work becomes due. */
  async function wait(ms: number): Promise<void> {
    await passTime(database(), ms);
    await database().updateTable('requests').set({ lease_until: 0 }).execute();
    await database().updateTable('outbox').set({ lease_until: 0 }).execute();
  }

  /** Works until nothing is left to do, with a minute between rounds. */
  async function finish(one: ReturnType<typeof replica>): Promise<void> {
    for (let round = 0; round < 8; round += 1) {
      await wait(60_000);
      await one.works();
    }
  }

  async function endRun(): Promise<void> {
    run = { ...run, state: 'SUCCEEDED' };
    const news = { pending_update_json: pendingRun('r1', run), pending_update_at: 1, due_at: 1 };
    await database().updateTable('requests').set(news).execute();
  }

  const stored = () => storedRequest(database(), 'r1');
  const message = () => createStore(database()).outbox.find('r1');
  const recordedMessage = async () => (await message())?.place?.ts;

  return {
    replica,
    stopFirstIn,
    wait,
    finish,
    endRun,
    stored,
    message,
    recordedMessage,
    created: () => created,
  };
}
