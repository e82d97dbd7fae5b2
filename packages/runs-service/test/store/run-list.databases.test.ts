import fc from 'fast-check';
import { beforeAll, expect, it } from 'vitest';
import type { RunFilter, RunListQuery } from '../../src/store/run-filter.ts';
import { listStoredRuns } from '../../src/store/run-list.ts';

import { createRuns, type StoredRun } from '../../src/store/runs.ts';
import type { Db } from '../../src/store/schema.ts';
import { describeOnDatabase } from '../support/databases.ts';
import { aServiceRun } from '../support/service/service-run-builder.ts';

const hourMs = 3_600_000;
const begin = Date.parse('2026-01-01T00:00:00Z');
const runCount = 90;

const words = [
  'login',
  'page',
  'mend the flaky test',
  '修正 ログイン',
  '100% of a_b',
  'ÄPFEL',
  'x',
];
const states = ['QUEUED', 'SUCCEEDED', 'FAILED'];
const pick = <T>(values: readonly T[], index: number): T => values[index % values.length] as T;

type Listed = StoredRun & { metadata: Record<string, string> };

/** Adds runs an hour apart. They ended at once, after hours or after days, and have frequent and rare values. */
async function fill(db: Db): Promise<Listed[]> {
  const runs = createRuns(db);
  const made: Listed[] = [];
  for (let index = 0; index < runCount; index += 1) {
    const metadata: Record<string, string> = index % 3 === 0 ? { team: `T${index % 6}` } : {};
    const { id } = await runs.create(
      aServiceRun({
        title: `${pick(words, index * 5)} ${String(index * 37).padStart(5, '0')}`,
        prompt: pick(words, index * 3),
        config_name: index % 4 === 0 ? 'nightly' : null,
        model_id: index % 2 === 0 ? 'opus' : 'other',
        environment_id: index < 60 ? 'old' : 'new',
        skill_spec: index === 7 ? 'o/r:s' : null,
        creator_uid: pick(['ada', 'bob', 'ada', 'cy', 'ada'], index),
        source: index % 10 === 0 ? 'SLACK' : 'API',
        metadata,
      }),
    );
    const created_at = begin + index * hourMs;
    const updated_at = created_at + pick([0, 2, 30, 0, 200], index) * hourMs + index + 1;
    const state = pick(states, index * 7);
    await db
      .updateTable('service_runs')
      .set({ created_at, updated_at, state })
      .where('id', '=', id)
      .execute();
    await db
      .updateTable('service_run_changes')
      .set({ changed_at: updated_at })
      .where('run_id', '=', id)
      .execute();
    made.push({ ...((await runs.get(id)) as StoredRun), metadata });
  }
  return made;
}

/** Applies a filter without using a database. */
function fits(run: Listed, filter: RunFilter): boolean {
  const is = (wanted: string | undefined, value: string | null) =>
    wanted === undefined || wanted === value;
  return (
    (filter.states?.includes(run.state) ?? true) &&
    is(filter.configName, run.config_name) &&
    is(filter.modelId, run.model_id) &&
    is(filter.creatorUid, run.creator_uid) &&
    is(filter.source, run.source) &&
    is(filter.environmentId, run.environment_id) &&
    is(filter.skillSpec, run.skill_spec) &&
    run.created_at > (filter.createdAfter ?? 0) &&
    run.created_at < (filter.createdBefore ?? Number.POSITIVE_INFINITY) &&
    run.updated_at > (filter.updatedAfter ?? 0) &&
    `${run.title}\n${run.prompt}`.toLowerCase().includes((filter.search ?? '').toLowerCase()) &&
    Object.entries(filter.metadata ?? {}).every(([key, value]) => run.metadata[key] === value)
  );
}

function inOrder(runs: Listed[], { sortBy, sortOrder }: RunListQuery): string[] {
  const sign = sortOrder === 'desc' ? -1 : 1;
  const before = (a: Listed, b: Listed) =>
    a[sortBy] === b[sortBy] ? a.id < b.id : a[sortBy] < b[sortBy];
  return runs.toSorted((a, b) => sign * (before(a, b) ? -1 : 1)).map(({ id }) => id);
}

const moment = fc.integer({ min: -5, max: runCount + 5 }).map((hour) => begin + hour * hourMs);
const anyValues = fc.record({
  states: fc.subarray(states, { minLength: 1 }),
  configName: fc.constantFrom('nightly', 'none'),
  modelId: fc.constantFrom('opus', 'other'),
  creatorUid: fc.constantFrom('ada', 'bob', 'cy', 'nobody'),
  source: fc.constantFrom('API', 'SLACK'),
  environmentId: fc.constantFrom('old', 'new'),
  skillSpec: fc.constant('o/r:s'),
  createdAfter: moment,
  createdBefore: moment,
  updatedAfter: moment,
  search: fc.constantFrom(
    'login',
    'ogi',
    '修正',
    '正',
    'ン 修',
    'ÄP',
    '%',
    '_',
    '0037',
    'the flaky t',
    '',
  ),
  metadata: fc.constantFrom({ team: 'T0' }, { team: 'T3' }, { team: 'no' }),
});
const names = [
  'states',
  'configName',
  'modelId',
  'creatorUid',
  'source',
  'environmentId',
  'skillSpec',
  'createdAfter',
  'createdBefore',
  'updatedAfter',
  'search',
  'metadata',
] as const;
/** Filter with at most three members, because hardly any run matches more. */
const anyFilter: fc.Arbitrary<RunFilter> = fc
  .tuple(anyValues, fc.subarray([...names], { maxLength: 3 }))
  .map(([values, chosen]) => Object.fromEntries(chosen.map((name) => [name, values[name]])));
const anyQuery = fc.record({
  filter: anyFilter,
  sortBy: fc.constantFrom('updated_at', 'created_at', 'title') satisfies fc.Arbitrary<
    RunListQuery['sortBy']
  >,
  sortOrder: fc.constantFrom('asc', 'desc'),
  limit: fc.integer({ min: 1, max: 40 }),
});
/** Thresholds that lead to every plan. */
const anyFew = fc.constantFrom(0, 5, 1000);

describeOnDatabase('a list of the store', (db) => {
  let all: Listed[];
  beforeAll(async () => {
    all = await fill(db());
  });

  async function walk(query: RunListQuery, few: number) {
    const seen: string[] = [];
    let after: RunListQuery['after'];
    do {
      const page = await listStoredRuns(db(), { ...query, after }, few);
      expect(page.runs.length).toBeLessThanOrEqual(query.limit);
      seen.push(...page.runs.map(({ id }) => id));
      after = page.next;
    } while (after);
    return seen;
  }

  it('has exactly the matching runs in order, whatever the plan', async () => {
    await fc.assert(
      fc.asyncProperty(anyQuery, anyFew, async (query, few) => {
        const wanted = all.filter((run) => fits(run, query.filter));
        expect(await walk(query, few)).toEqual(inOrder(wanted, query));
      }),
      { numRuns: 80 },
    );
  });
});
