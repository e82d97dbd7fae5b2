import { createLogger } from 'base/logger';
import { expect, it, onTestFinished } from 'vitest';
import { createChangeFeed } from '../../src/api/change-feed.ts';
import { changeRun, createRunFeed } from '../../src/store/run-changes.ts';
import { createRuns } from '../../src/store/runs.ts';
import { useDatabase } from '../support/databases.ts';
import { aServiceRun } from '../support/service/service-run-builder.ts';

const database = useDatabase();

it('a feed gives out a change that is committed after a later one', async () => {
  const runs = createRuns(database());
  const feed = createChangeFeed(createRunFeed(database()), createLogger('silent'));
  feed.start();
  onTestFinished(() => feed.stop());
  const [early, later] = [
    (await runs.create(aServiceRun())).id,
    (await runs.create(aServiceRun())).id,
  ];
  const gone = new AbortController();
  onTestFinished(() => gone.abort());
  const batches = feed.follow({
    from: undefined,
    sees: () => true,
    waitMs: 60_000,
    signal: gone.signal,
    onTooSlow: () => gone.abort(),
  });
  const nextChange = async () => {
    const { value: [event] = [] } = await batches.next();
    return event;
  };
  expect(await nextChange()).toMatchObject({ kind: 'reset' });
  let commit = () => {};
  let hasChanged = () => {};
  const changed = new Promise<void>((resolve) => {
    hasChanged = resolve;
  });
  const committed = database()
    .transaction()
    .execute(async (trx) => {
      await changeRun(trx, early, { from: ['QUEUED'] }, {});
      hasChanged();
      await new Promise<void>((resolve) => {
        commit = resolve;
      });
    });
  await changed;
  const row = await runs.change(later, ['QUEUED'], { note: 'changed' });
  expect(await nextChange()).toMatchObject({ kind: 'change', run: { id: later } });
  commit();
  await committed;
  const late = await nextChange();
  expect(late).toMatchObject({ kind: 'change', run: { id: early } });
  expect(late?.cursor).toBeLessThan(row?.updated_at ?? 0);
});
