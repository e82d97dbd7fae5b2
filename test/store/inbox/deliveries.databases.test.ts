import { expect, it } from 'vitest';
import { createDeliveries } from '../../../src/store/inbox/deliveries.ts';
import { describeOnDatabase } from '../../support/database/databases.ts';

describeOnDatabase('what Slack has delivered', (database) => {
  it('is new once, even for two simultaneous replicas', async () => {
    const asked = [createDeliveries(database()), createDeliveries(database())];
    const answers = await Promise.all(asked.map((deliveries) => deliveries.markFirst('event 1')));
    expect(answers.sort()).toEqual([false, true]);
    expect(await createDeliveries(database()).isMarked('event 1')).toBe(true);
  });

  it('is forgotten after its time, and not before', async () => {
    const deliveries = createDeliveries(database());
    await deliveries.markFirst('event 2');
    await deliveries.prune(60_000);
    expect(await deliveries.isMarked('event 2')).toBe(true);
    await deliveries.prune(-60_000);
    expect(await deliveries.isMarked('event 2')).toBe(false);
  });
});
