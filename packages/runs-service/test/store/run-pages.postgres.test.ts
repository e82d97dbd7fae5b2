import { expect, it } from 'vitest';
import { listStoredRuns } from '../../src/store/run-list.ts';
import { createRuns } from '../../src/store/runs.ts';
import { useDatabase } from '../support/databases.ts';
import { aServiceRun } from '../support/service/service-run-builder.ts';

const database = useDatabase();

it('the first page of a list misses no run that changes while it is read', async () => {
  const db = database();
  const runs = createRuns(db);
  const { id } = await runs.create(aServiceRun());
  // Change the run after each statement.
  const whileItChanges = db.withPlugin({
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      await runs.change(id, ['QUEUED'], { note: 'touched' });
      return result;
    },
  });
  const found = await listStoredRuns(whileItChanges, {
    filter: {},
    sortBy: 'updated_at',
    sortOrder: 'asc',
    limit: 5,
  });
  expect(found.runs.map((run) => run.id)).toEqual([id]);
});
