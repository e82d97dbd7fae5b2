import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DueAt, Lease, Leases } from 'base/leased-work';
import { createLogger } from 'base/logger';
import { createRunsClient } from 'runs-client';
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  it,
  onTestFinished,
  vi,
} from 'vitest';
import { hourMs, startStub } from '../../bench/changing-runs.ts';
import { writeSqliteFile } from '../../packages/base/test/support/databases.ts';
import { temporaryFolder } from '../../packages/runs-service/test/support/runs-service.ts';
import { advance } from '../../src/following/steps/advance.ts';
import { sweep } from '../../src/following/sweeps/sweep.ts';
import { track } from '../../src/following/track.ts';
import { workOnPost } from '../../src/outbox/outbox-worker.ts';
import type { PostKind } from '../../src/outbox/post-kind.ts';
import { trackPost } from '../../src/outbox/track-post.ts';
import { createConnections } from '../../src/store/following/connections.ts';
import { createStore } from '../../src/store/store.ts';
import { openCountedSqlite } from '../support/database/counted-sqlite.ts';
import { openTestDatabase } from '../support/database/databases.ts';
import { followRuns } from '../support/database/followed-rows.ts';
import { attribution, caps, files } from '../support/posting/no-files.ts';

const never = new AbortController().signal;
const tickMs = 1_000;
const activeRuns = 1_000;
const changesPerTick = 100;

const unexpected = () => {
  throw new Error('not expected');
};

/** Works on everything that is due like a worker: twenty rows at a time, released together. */
async function workOnDue<Row extends Lease, Changes>(
  leases: Leases<Row, Changes>,
  begin: (row: Row) => { run(): Promise<DueAt>; changes(): Changes },
): Promise<void> {
  for (;;) {
    const leased = await leases.claim('test', 60_000, 20);
    if (leased.length === 0) return;
    const finished = await Promise.all(
      leased.map(async (lease) => {
        const { run, changes } = begin(lease);
        const dueAt = await run();
        return { lease, changes: changes(), dueAt };
      }),
    );
    await leases.release(finished);
  }
}

describe('following a thousand runs while a hundred change in every tick costs', () => {
  const beganAt = Date.now();
  const folder = mkdtempSync(join(tmpdir(), 'slash-agent-'));
  const followed = join(folder, 'followed.db');

  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['Date'], now: beganAt });
  });
  afterEach(() => {
    vi.useRealTimers();
  });
  // Fill the database once. Each test gets a copy.
  beforeAll(async () => {
    const stub = await startStub(activeRuns, beganAt);
    const db = await openTestDatabase('sqlite::memory:');
    const runs = [...stub.runs.values()];
    await followRuns(db, runs, { now: beganAt, overMs: 2 * hourMs });
    await writeSqliteFile(db, followed);
    await db.destroy();
    stub.close();
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  async function start() {
    const stub = await startStub(activeRuns);
    onTestFinished(() => void stub.close());
    const file = join(temporaryFolder(), 'counted.db');
    copyFileSync(followed, file);
    const { db, counted } = await openCountedSqlite(file);
    onTestFinished(() => db.destroy());
    const client = createRunsClient({ baseUrl: stub.baseUrl, apiKey: 'key' });
    onTestFinished(() => client.close());
    const connections = createConnections(db);
    const update = vi.fn(async () => ({ outcome: 'shown' as const }));
    const logger = createLogger('silent');
    const following = {
      ...createStore(db).following,
      runs: client.runs,
      files,
      attribution,
      caps,
      logger,
      isListening: () => false,
    };
    const runMessage: PostKind = {
      open: async ({ request }) => ({
        post: unexpected,
        find: unexpected,
        findCopies: unexpected,
        instead: [],
        kept: {
          shown: request?.run?.status_message?.message ?? '',
          waitMs: async () => 0,
          update,
          whenCurrent: async () => ({ outcome: 'planned', dueAt: null }),
          moveReplies: unexpected,
        },
      }),
    };
    const posting = {
      store: createStore(db).posting,
      kinds: { 'run-message': runMessage },
      nowMs: () => Date.now(),
      remove: unexpected,
      wakeFollower: () => undefined,
      logger,
    };
    await connections.wake('default', 0);

    /** Does the work of a follower between two waits: one sweep, then everything that is due. */
    async function round(): Promise<void> {
      vi.setSystemTime(Date.now() + tickMs);
      const [connection] = await connections.claim('test', 60_000, 1);
      if (!connection) throw new Error('no sweep is due');
      const { changes } = await sweep(
        { ...following, followed: following.followedOf(connection.id) },
        connection,
        never,
      );
      await connections.release([{ lease: connection, changes, dueAt: Date.now() }]);
      await workOnDue(following.leases, (request) => {
        const tracked = track(following.leases, request);
        const run = () => advance(following, tracked, never);
        return { run, changes: tracked.notes };
      });
      await workOnDue(posting.store.leases, (post) => {
        const tracked = trackPost(posting.store.leases, post);
        const run = () => workOnPost(posting, tracked, never);
        return { run, changes: tracked.notes };
      });
    }
    stub.change(0, 'first');
    await round();
    update.mockClear();
    Object.assign(stub.counted, { lists: 0, gets: 0 });
    Object.assign(counted, { statements: 0, flushes: 0 });
    return { stub, counted, update, round };
  }

  it.each([
    ['any runs change', (number: number) => (number * 7_919) % activeRuns],
    ['the same runs change all the time', (number: number) => number % changesPerTick],
  ])('at most 1.2 requests for a hundred changes and three a tick: %s', async (_, which) => {
    const { stub, update, round } = await start();
    const ticks = 3;
    for (let tick = 0; tick < ticks; tick += 1) {
      for (let number = 0; number < changesPerTick; number += 1)
        stub.change(which(tick * changesPerTick + number), `change-${tick}-${number}`);
      await round();
    }
    const changes = ticks * changesPerTick;
    expect(update).toHaveBeenCalledTimes(changes);
    const { lists, gets } = stub.counted;
    // Runs that changed within the last two seconds are listed again, because their order isn't final yet.
    expect(lists + gets).toBeLessThanOrEqual((1.2 * changes) / 100 + 3 * ticks);
  });

  it('a handful of flushes for all changes of a tick, and few statements for each', async () => {
    const { stub, counted, round } = await start();
    for (let number = 0; number < changesPerTick; number += 1) stub.change(number, `n-${number}`);
    await round();
    // A sweep needs a few flushes. Twenty requests need two: lease and release. Twenty messages need three: lease,
    // begin and release. On a fast disk, each twenty may be flushed in two groups.
    expect(counted.flushes).toBeLessThanOrEqual(0.5 * changesPerTick);
    expect(counted.statements / changesPerTick).toBeLessThan(3.5);
  });
});
