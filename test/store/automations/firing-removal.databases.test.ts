import { expect, it } from 'vitest';
import { createFiringRemoval } from '../../../src/store/automations/firing-removal.ts';
import { useAutomations } from '../../automations/automation-bed.ts';
import { describeOnDatabase } from '../../support/database/databases.ts';

const dayMs = 24 * 60 * 60_000;

describeOnDatabase('the history of automations', (database) => {
  const { fire, history } = useAutomations(database);
  const now = Date.now();
  const removeAll = async () => {
    let removed = 0;
    for (;;) {
      const some = await createFiringRemoval(database()).removeSome(now);
      if (some === 0) return removed;
      removed += some;
    }
  };
  const decide = () =>
    database().updateTable('automation_firings').set({ state: 'started' }).execute();
  const keysWithBody = async () =>
    (
      await database()
        .selectFrom('automation_firings')
        .select('id')
        .where('body', 'is not', null)
        .execute()
    ).map(({ id }) => id);

  it('is deleted after 90 days, and the bodies of deliveries after 7', async () => {
    await fire('old', { happenedAt: now - 91 * dayMs }, '{}');
    await fire('week', { happenedAt: now - 8 * dayMs }, '{}');
    await fire('new', { happenedAt: now - 6 * dayMs }, '{}');
    expect(await removeAll()).toBe(0);
    await decide();
    expect(await removeAll()).toBe(3);
    expect(await history()).toEqual(['week: started', 'new: started']);
    expect(await keysWithBody()).toEqual(['a1 new']);
  });

  it('keeps only the newest 20 bodies of deliveries that started no run', async () => {
    for (let number = 10; number < 35; number += 1) {
      await fire(`started ${number}`, { happenedAt: now - number }, '{}');
      await fire(`${number}`, { happenedAt: now - number }, '{}');
    }
    await fire('other', { automationId: 'a2', happenedAt: now - 50 }, '{}');
    await decide();
    await database()
      .updateTable('automation_firings')
      .set({ state: 'unmatched' })
      .where('id', 'not like', 'a1 started%')
      .execute();
    await database()
      .updateTable('automation_firings')
      .set({ state: 'skipped' })
      .where('id', '=', 'a1 20')
      .execute();
    expect(await removeAll()).toBe(5);
    const kept = await keysWithBody();
    expect(kept.filter((id) => id.startsWith('a1 started'))).toHaveLength(25);
    const unused = kept.filter((id) => !id.startsWith('a1 started')).toSorted();
    expect(unused).toHaveLength(21);
    expect(unused.at(-2)).toBe('a1 29');
    expect(unused.at(-1)).toBe('a2 other');
    expect(await history()).toHaveLength(50);
  });

  it('is deleted after 7 days if it started nothing for a filter, a limit or a right', async () => {
    for (const state of ['unmatched', 'skipped', 'missed', 'failed', 'started']) {
      await fire(state, { happenedAt: now - 8 * dayMs });
      await fire(`new ${state}`, { happenedAt: now - 6 * dayMs });
      await database()
        .updateTable('automation_firings')
        .set({ state })
        .where('id', 'in', [`a1 ${state}`, `a1 new ${state}`])
        .execute();
    }
    expect(await removeAll()).toBe(2);
    const left = (await history()).map((line) => line.replace(/:.*/, ''));
    expect(left.filter((key) => !key.startsWith('new ')).toSorted()).toEqual([
      'failed',
      'missed',
      'started',
    ]);
    expect(left).toHaveLength(8);
  });
});
