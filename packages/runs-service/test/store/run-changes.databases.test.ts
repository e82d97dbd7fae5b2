import { expect, it } from 'vitest';
import { createRuns } from '../../src/store/runs.ts';
import { describeOnDatabase } from '../support/databases.ts';
import { aServiceRun } from '../support/service/service-run-builder.ts';

describeOnDatabase('changes of a run', (db) => {
  it('each have a later moment than the one before, also when they come at the same time', async () => {
    const runs = createRuns(db());
    const run = await runs.create(aServiceRun());
    // Another run changed later by another service's clock, so the next time isn't this clock's.
    const other = await runs.create(aServiceRun());
    const later = Date.now() + 60_000;
    await db()
      .updateTable('service_runs')
      .set({ updated_at: later })
      .where('id', '=', other.id)
      .execute();

    const notes = Array.from({ length: 20 }, (_, number) => `note ${number}`);
    await Promise.all(notes.map((note) => runs.change(run.id, ['QUEUED'], { note })));

    const changes = (await runs.changesOf(run.id)).slice(1);
    expect(changes.map(({ note }) => note).toSorted()).toEqual(notes.toSorted());
    const moments = changes.map(({ changed_at: at }) => at);
    expect(moments.every((at) => at > later)).toBe(true);
    expect(new Set(moments).size).toBe(notes.length);
    expect(changes.map(({ until_at: until }) => until)).toEqual([...moments.slice(1), null]);
    expect((await runs.get(run.id))?.updated_at).toBe(moments.at(-1));
  });
});
