import { createLogger } from 'base/logger';
import { expect, it, onTestFinished } from 'vitest';
import { createRetention } from '../src/bot/retention.ts';

const dayMs = 24 * 60 * 60_000;

type Given = {
  /** Result of each try: the number of deleted requests, or an error for a database that can't be reached. */
  batches?: (number | Error)[];
  days?: { requestDays?: number; auditDays?: number };
  /** Workspaces that removed the app, for each call in order. */
  removed?: string[][];
  /** Number of removed firings, for each call. */
  firings?: number[];
};

function start({ batches = [], days = {}, removed = [], firings = [] }: Given) {
  const asked: number[] = [];
  const trimmed: unknown[] = [];
  const readRequestsOf: string[] = [];
  const removedRuns: string[] = [];
  const removal = {
    async overBefore(time: number) {
      asked.push(time);
      const next = batches.shift() ?? 0;
      if (next instanceof Error) throw next;
      return Array.from({ length: next }, (_, index) => `T1-${index}`);
    },
    remove: async (ids: readonly string[]) => ids.length,
  };
  const logged: unknown[] = [];
  const logger = createLogger('info', {
    write: (line: string) => void logged.push(JSON.parse(line)),
  });
  const retention = createRetention({
    requestDays: days.requestDays,
    auditDays: days.auditDays,
    isAuditSent: true,
    removal,
    firings: { removeSome: async () => firings.shift() ?? 0 },
    logger,
    workspaces: {
      removedBefore: async () => removed.shift() ?? [],
      async requests(teamId) {
        readRequestsOf.push(teamId);
        return [{ id: `${teamId}-1`, runId: 'run-1' }];
      },
      removeRequests: async () => 0,
      removeRest: async () => {},
    },
    audit: {
      note: async () => {},
      async removeBefore(...given) {
        trimmed.push(given);
        return 2;
      },
    },
    removeRuns: async (ids) => void removedRuns.push(...ids),
  });
  onTestFinished(() => retention.stop());
  retention.start();
  return { retention, asked, trimmed, logged, readRequestsOf, removedRuns };
}

it('old requests are deleted in batches, until none are left', async () => {
  const days = { requestDays: 30 };
  const { asked, trimmed, logged } = start({ batches: [100, 100, 7], firings: [500, 3], days });
  await expect
    .poll(() => logged)
    .toMatchObject([{ requests: 207, firings: 503, msg: 'deleted what was too old' }]);
  expect(asked).toHaveLength(4);
  expect(Math.abs(Date.now() - 30 * dayMs - (asked[0] ?? 0))).toBeLessThan(dayMs);
  expect(trimmed).toEqual([]);
});

it('old entries of the audit log are deleted after days of their own', async () => {
  const { asked, trimmed, logged } = start({ days: { auditDays: 90 } });
  await expect.poll(() => logged).toMatchObject([{ requests: 0, auditEntries: 2 }]);
  expect(asked).toEqual([]);
  expect(trimmed).toEqual([[expect.any(Number), { onlySent: true }]]);
});

it('a database that is away is logged, and the bot continues', async () => {
  const { logged } = start({ batches: [new Error('no connection')], days: { requestDays: 1 } });
  await expect.poll(() => logged).toMatchObject([{ msg: 'cannot delete what is too old' }]);
});

it('a workspace that installs the app again meanwhile keeps its runs', async () => {
  const { retention, readRequestsOf, removedRuns } = start({ removed: [['T1'], []] });
  await expect.poll(() => readRequestsOf).toEqual(['T1']);
  await retention.stop();
  expect(removedRuns).toEqual([]);
});
