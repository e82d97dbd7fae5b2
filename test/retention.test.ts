import { expect, it, onTestFinished } from 'vitest';
import { createLogger } from '../src/lib/logger.ts';
import { createRetention } from '../src/retention.ts';

const dayMs = 24 * 60 * 60_000;

/** @param batches how many requests each try deletes; an error stands for a database that's away */
function start(batches: (number | Error)[]) {
  const asked: number[] = [];
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
  const retention = createRetention({ days: 30, removal, logger });
  onTestFinished(() => retention.stop());
  retention.start();
  return { asked, logged };
}

it('old requests are deleted in batches, until none are left', async () => {
  const { asked, logged } = start([100, 100, 7]);
  await expect.poll(() => logged).toMatchObject([{ requests: 207, msg: 'deleted old requests' }]);
  expect(asked).toHaveLength(4);
  expect(Math.abs(Date.now() - 30 * dayMs - (asked[0] ?? 0))).toBeLessThan(dayMs);
});

it('a database that is away is logged, and the bot goes on', async () => {
  const { logged } = start([new Error('no connection')]);
  await expect.poll(() => logged).toMatchObject([{ msg: 'cannot delete old requests' }]);
});
