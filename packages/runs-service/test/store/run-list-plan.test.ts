import { CompiledQuery } from 'kysely';
import { describe, expect, it, vi } from 'vitest';
import type { RunFilter, RunListQuery } from '../../src/store/run-filter.ts';
import { listStoredRuns } from '../../src/store/run-list.ts';

import { useDatabase } from '../support/databases.ts';

type PlanRow = { id: number; parent: number; detail: string };

const filters: Record<string, RunFilter> = {
  nothing: {},
  'a state': { states: ['FAILED'] },
  states: { states: ['FAILED', 'QUEUED'] },
  'a name': { configName: 'x' },
  'a model': { modelId: 'x' },
  'a creator': { creatorUid: 'x' },
  'a source': { source: 'x' },
  'an environment': { environmentId: 'x' },
  'a skill': { skillSpec: 'x' },
  'created after': { createdAfter: 5 },
  'created before': { createdBefore: 5 },
  'updated after': { updatedAfter: 5 },
  'a search': { search: 'login' },
  'a short search': { search: 'x' },
  metadata: { metadata: { team: 'T1' } },
  'a creator and a state': { creatorUid: 'x', states: ['FAILED'] },
  'a creator and created before': { creatorUid: 'x', createdBefore: 5 },
  'a name and a model and a search': { configName: 'x', modelId: 'y', search: 'login' },
  'metadata and a state': { metadata: { team: 'T1', a: 'b' }, states: ['FAILED', 'QUEUED'] },
};
const sortings = (['updated_at', 'created_at', 'title'] as const).flatMap((sortBy) =>
  (['desc', 'asc'] as const).map((sortOrder) => ({ sortBy, sortOrder })),
);

describe('a list on SQLite', () => {
  const db = useDatabase();

  async function plansOf(query: RunListQuery, few: number): Promise<PlanRow[][]> {
    const execute = vi.spyOn(db().getExecutor(), 'executeQuery');
    await listStoredRuns(db(), query, few);
    const statements = execute.mock.calls.map(([statement]) => statement);
    execute.mockRestore();
    expect(statements.length).toBeGreaterThan(0);
    return Promise.all(
      statements.map(async ({ sql, parameters }) => {
        const explained = CompiledQuery.raw(`explain query plan ${sql}`, [...parameters]);
        return (await db().executeQuery<PlanRow>(explained)).rows;
      }),
    );
  }

  /** Returns the steps that find the page. Reading its runs is another part of the plan. */
  const finding = (plan: readonly PlanRow[]) => {
    const page = plan.find(({ detail }) => /^(CO-ROUTINE|MATERIALIZE) page/.test(detail));
    return plan.filter(({ parent, id }) => (page ? parent === page.id : id !== undefined));
  };
  /** Returns true for a step that reads a whole table without an order. */
  const readsAll = ({ detail }: PlanRow) =>
    /^SCAN (?!.*(USING|VIRTUAL|CONSTANT|page|subquery))/.test(detail);
  /** Returns true for a step that sorts all found runs. Sorting those of one moment by their IDs is another step. */
  const sorts = ({ detail }: PlanRow) => detail === 'USE TEMP B-TREE FOR ORDER BY';
  const after = { key: 7, id: 'x', snapshot: 9 };

  const cases = Object.keys(filters).flatMap((name) =>
    sortings.map((sorting): [name: string, RunListQuery] => [
      `${name} by ${sorting.sortBy} ${sorting.sortOrder}`,
      { filter: filters[name] ?? {}, ...sorting, limit: 20 },
    ]),
  );
  it.each(cases)('of many runs with %s walks along an index', async (_name, query) => {
    const key = query.sortBy === 'title' ? 'x' : 7;
    for (const each of [query, { ...query, after: { ...after, key } }]) {
      for (const plan of await plansOf(each, -1)) {
        expect(plan.filter(readsAll)).toEqual([]);
        // Runs that changed since the first page are few, and in another order.
        const few = plan.some(({ detail }) => detail.includes('by_until_at'));
        if (!few) expect(finding(plan).filter(sorts)).toEqual([]);
      }
    }
  });

  it.each(cases)('of few runs with %s finds them by an index', async (_name, query) => {
    for (const plan of await plansOf(query, 3_000)) expect(plan.filter(readsAll)).toEqual([]);
  });
});
