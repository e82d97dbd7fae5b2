import { expect, it } from 'vitest';
import { signal } from '../../packages/base/test/support/signal.ts';
import type { FiringQueue } from '../../src/automations/port.ts';
import { aDefinition } from '../support/automations.ts';
import { describeOnDatabase } from '../support/database/databases.ts';
import { type BedOptions, useAutomations } from './automation-bed.ts';

const until = { timeout: 10_000, interval: 20 };

/** A replica that is killed at one point. Its work hangs there, and continues if the test lets it. */
function killedAt(point: string) {
  const [reached, reach] = signal();
  const [continued, goOn] = signal();
  const hang = async () => {
    reach();
    await continued;
  };
  const around =
    <Args extends unknown[], Result>(name: string, call: (...args: Args) => Promise<Result>) =>
    async (...args: Args): Promise<Result> => {
      if (point === `before ${name}`) await hang();
      const result = await call(...args);
      if (point === `after ${name}`) await hang();
      return result;
    };
  const options: BedOptions = {
    instead: (queue): FiringQueue => ({
      ...queue,
      read: around('read', queue.read),
      begin: around('begin', queue.begin),
      settle: around('settle', queue.settle),
      confirmStart: around('confirm', queue.confirmStart),
      release: around('release', queue.release),
    }),
    start: around('start', async (_, accept) => {
      await accept();
      return { outcome: 'started' } as const;
    }),
  };
  return { options, reached, goOn };
}

describeOnDatabase('a replica that is killed', (database) => {
  const bed = useAutomations(database);
  const { create, fire, history, makeDue, moveRequests, replica, requests, store } = bed;
  /** Ends all leases, as if they had expired. */
  const expire = () =>
    database().updateTable('automation_firings').set({ lease_until: 0 }).execute();
  const found = () => store().automations.find('T1', 'a1');

  const points = ['before read', 'before begin', 'after begin', 'after start', 'before settle'];
  for (const point of [...points, 'after settle', 'before release', 'after release'])
    it(`${point} leaves exactly one run, also if it was only frozen`, async () => {
      await create({ definition: aDefinition({ startsPerHour: 1, activeRuns: 1 }) });
      await fire('1');
      const { options, reached, goOn } = killedAt(point);
      const frozen = replica(options);
      await reached;
      await expire();
      const next = replica();
      await expect.poll(history, until).toEqual(['1: started']);
      goOn();
      await fire('2');
      next.firings.wake();
      frozen.firings.wake();
      await expect
        .poll(history, until)
        .toEqual(['1: started', '2: skipped, Limit of 1 start an hour reached.']);
      expect(await requests()).toHaveLength(1);
    });

  for (const change of ['pause', 'remove'] as const)
    it(`after it began starts nothing if someone uses ${change} before it continues`, async () => {
      await create();
      await fire('1');
      const { options, reached, goOn } = killedAt('after begin');
      const frozen = replica(options);
      await reached;
      const pause = { code: 'person', sentence: '', by: 'U1', at: 1 } as const;
      await (change === 'pause'
        ? store().automations.pause('a1', pause)
        : store().automations.remove('a1', 'U1'));
      await expire();
      replica();
      const left = change === 'pause' ? ['1: skipped, The automation is paused.'] : [];
      await expect.poll(history, until).toEqual(left);
      goOn();
      await frozen.firings.stop();
      expect(await requests()).toEqual([]);
      expect(await history()).toEqual(left);
    });

  it('after it noted a failed start counts it once', async () => {
    await create();
    const first = replica();
    await fire('1');
    await expect.poll(history, until).toEqual(['1: started']);
    await first.firings.stop();
    await moveRequests('not_started', 'Rejected.');
    const { options, reached, goOn } = killedAt('before release');
    replica(options);
    await makeDue();
    await expect.poll(history, until).toEqual(['1: failed, Rejected.']);
    await reached;
    await expire();
    replica();
    goOn();
    await expect.poll(found, until).toMatchObject({ failedStarts: 1 });
  });
});
