import { expect, it } from 'vitest';
import { createAutomations } from '../../../src/store/automations/automations.ts';
import { createFiringQueue } from '../../../src/store/automations/firing-queue.ts';
import { createFirings } from '../../../src/store/automations/firings.ts';
import { createScheduleQueue } from '../../../src/store/automations/schedule-queue.ts';
import type { Db } from '../../../src/store/schema.ts';
import { anAutomation } from '../../support/automations.ts';
import { openPlannedDatabase } from './planned-database.ts';

const viewer = { teamId: 'T1', userId: 'U1' };

/** Asks all that workers and listeners ask, and the page of automations. */
async function ask(db: Db): Promise<void> {
  const [automations, firings] = [createAutomations(db), createFirings(db)];
  await automations.onMessages('T1', 'C1');
  await automations.onReaction('T1', 'C1', 'eyes');
  await automations.findHook('a1');
  await automations.find('T1', 'a1');
  await automations.visible(viewer, { limit: 20 });
  await firings.history(viewer, 'a1', { limit: 20 });
  await firings.deliveries('a1', 5);
  const [schedules, queue] = [createScheduleQueue(db), createFiringQueue(db)];
  await schedules.nextDueInMs();
  await queue.nextDueInMs();
  for (const automation of await schedules.claim('me', 1_000, 1))
    await schedules.fire(automation, { fireAt: 5, missed: undefined, nextAt: null });
  for (const firing of await queue.claim('me', 1_000, 1)) {
    await queue.read(firing);
    await queue.begin(firing, undefined);
    await queue.settle(firing, { state: 'failed', reason: null });
    await queue.readStart(firing);
    await queue.confirmStart(firing);
  }
}

it('no worker, listener or page reads all automations, their history or all requests', async () => {
  const { db, plansOf } = await openPlannedDatabase('explain query plan');
  await createAutomations(db).create(anAutomation({ nextAt: 5 }), 'U1');
  const fired = { kind: 'test', by: 'U1' } as const;
  for (const key of ['1', '2'])
    await createFirings(db).add({ automationId: 'a1', teamId: 'T1', key, happenedAt: 5, fired });
  const plans = await plansOf('', ask);
  expect(plans.length).toBeGreaterThan(25);
  for (const { text, plan } of plans)
    expect(JSON.stringify(plan), text).not.toMatch(/SCAN (automation|request)/);
});
