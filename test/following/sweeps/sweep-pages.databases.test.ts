import { expect, it } from 'vitest';
import { aRun } from '../../support/builders.ts';
import { describeOnDatabase } from '../../support/database/databases.ts';
import { at, changed, createSweeping, start } from './sweep-once.ts';

describeOnDatabase('a sweep of many changes', (database) => {
  const { follow, sweepOnce } = createSweeping(database);

  it('asks once for a hundred changes, and once per page', async () => {
    const runs = Array.from({ length: 150 }, (_, index) =>
      aRun({ run_id: `r${index}`, updated_at: at(-60) }),
    );
    await follow(runs);
    const all = runs.map((run, index) => ({
      ...run,
      state: 'SUCCEEDED',
      updated_at: at(1 + index / 1000),
    }));
    const { queries, due } = await sweepOnce((query) => changed(query, all));
    expect(queries).toHaveLength(2);
    expect(due).toHaveLength(150);
  });

  it('still believes a service whose runs change between two pages and keep their places', async () => {
    const runs = Array.from({ length: 150 }, (_, index) =>
      aRun({ run_id: `r${index}`, updated_at: at(-60 + index / 10) }),
    );
    await follow(runs);
    const now = new Date().toISOString();
    const later = aRun({ run_id: 'r120', state: 'SUCCEEDED', updated_at: now });
    const { changes, due } = await sweepOnce(
      (query) => changed(query, runs).map((run) => (run.run_id === 'r120' ? later : run)),
      { watermark: start - 90_000 },
    );
    expect(changes.mode).toBe('changes');
    expect(due.map(({ runId }) => runId)).toEqual(['r120']);
    expect(changes.watermark).toBe(start - 60_000 + 12_400);
  });
});
