import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { RunListQuery } from '../../src/store/run-filter.ts';
import { listStoredRuns } from '../../src/store/run-list.ts';
import { createRuns } from '../../src/store/runs.ts';
import { describeOnDatabase } from '../support/databases.ts';
import { aServiceRun } from '../support/service/service-run-builder.ts';

/** Events between two pages: new runs, and changes of runs by their positions among the first ones. */
const between = fc.array(
  fc.oneof(
    fc.record({ change: fc.nat() }),
    fc.record({ create: fc.constantFrom('ada', 'bob') }),
    fc.record({ change: fc.nat(), times: fc.constant(3) }),
  ),
  { maxLength: 5 },
);

const reading = fc.record({
  count: fc.integer({ min: 0, max: 14 }),
  limit: fc.integer({ min: 1, max: 5 }),
  sortBy: fc.constantFrom<RunListQuery['sortBy'][]>('updated_at', 'created_at', 'title'),
  sortOrder: fc.constantFrom<RunListQuery['sortOrder'][]>('asc', 'desc'),
  creatorUid: fc.constantFrom(undefined, 'ada'),
  search: fc.constantFrom(undefined, 'run', 'ru'),
  few: fc.constantFrom(0, 3_000),
  steps: fc.array(between, { maxLength: 20 }),
});
type Reading = typeof reading extends fc.Arbitrary<infer Value> ? Value : never;

let tag = 0;

describeOnDatabase('pages of a list', (db) => {
  async function read({ count, steps, few, limit, sortBy, sortOrder, ...asked }: Reading) {
    const runs = createRuns(db());
    tag += 1;
    const metadata = { tag: String(tag) };
    const create = async (creator: string, title: string) =>
      (await runs.create(aServiceRun({ creator_uid: creator, title, metadata }))).id;
    const first: { id: string; creator: string }[] = [];
    for (let index = 0; index < count; index += 1) {
      const creator = index % 3 === 0 ? 'bob' : 'ada';
      const id = await create(creator, `Run ${(index * 7) % 10}`);
      first.push({ id, creator });
    }
    const filter = {
      metadata,
      ...(asked.creatorUid !== undefined && { creatorUid: asked.creatorUid }),
      ...(asked.search !== undefined && { search: asked.search }),
    };
    const seen: string[] = [];
    let after: RunListQuery['after'];
    for (let page = 0; ; page += 1) {
      const query = { filter, sortBy, sortOrder, limit, after };
      const found = await listStoredRuns(db(), query, few);
      seen.push(...found.runs.map(({ id }) => id));
      after = found.next;
      if (!after) break;
      for (const step of steps[page] ?? []) {
        if ('create' in step) await create(step.create, 'Run new');
        else
          for (let time = 0; time < ('times' in step ? step.times : 1); time += 1)
            await runs.change(first[step.change % count]?.id ?? '', ['QUEUED'], {
              note: 'touched',
            });
      }
    }
    const wanted = first.filter(
      ({ creator }) => asked.creatorUid === undefined || creator === asked.creatorUid,
    );
    return { seen, wanted: wanted.map(({ id }) => id) };
  }

  it('neither skip nor repeat a run, whatever changes between them', async () => {
    await fc.assert(
      fc.asyncProperty(reading, async (each) => {
        const { seen, wanted } = await read(each);
        expect(new Set(seen).size).toBe(seen.length);
        expect(wanted.filter((id) => !seen.includes(id))).toEqual([]);
      }),
      { numRuns: 25 },
    );
  });
});
