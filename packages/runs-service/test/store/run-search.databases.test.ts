import { isPostgres } from 'base/database/clock';
import { sql } from 'kysely';
import { beforeAll, expect, it } from 'vitest';
import { fillEncrypted } from '../../../base/test/support/test-key.ts';
import type { RunListQuery } from '../../src/store/run-filter.ts';
import { listStoredRuns, newestSearched } from '../../src/store/run-list.ts';
import { createRuns } from '../../src/store/runs.ts';
import { describeOnDatabase } from '../support/databases.ts';
import { aServiceRun } from '../support/service/service-run-builder.ts';

describeOnDatabase('a search', (db) => {
  /** Adds one run that is too old for short searches. 修正 ("fix") is in the second and the last of the others. */
  beforeAll(async () => {
    const { id } = await createRuns(db()).create(aServiceRun({ title: '修正 too old' }));
    const last = sql.lit(newestSearched + 1);
    const numbers = isPostgres(db())
      ? sql`generate_series(2, ${last}) as n(i)`
      : sql`(with recursive n(i) as (select 2 union all select i + 1 from n where i < ${last}) select i from n) n`;
    await sql`
      insert into service_runs (id, session_token, title, prompt, search_text, state, config_json, environment_id,
        creator_json, creator_uid, key_uid, source, conversation_id, request_hash, created_at, updated_at, cancel_requested)
      select 'run-' || i, 'run-' || i, 'Run ' || i, '', case when i in (2, ${last}) then '修正' else '' end, 'QUEUED',
        '{}', 'demo', '{}', 'ada', 'user ada', 'API', 'c', '', created_at + i, created_at + i, 0
      from ${numbers} cross join (select created_at from service_runs where id = ${id}) too_old`.execute(
      db(),
    );
    await fillEncrypted(db(), { table: 'service_runs', column: 'prompt', text: 'Do it' });
    await fillEncrypted(db(), { table: 'service_runs', column: 'config_json', text: '{}' });
  });

  async function find(search: string, more: Partial<RunListQuery> = {}) {
    const { runs, next } = await listStoredRuns(db(), {
      filter: { search },
      sortBy: 'updated_at',
      sortOrder: 'desc',
      limit: 10,
      ...more,
    });
    return { titles: runs.map(({ title }) => title), next };
  }

  it('finds every run by any three characters', async () => {
    expect((await find('正 TOO')).titles).toEqual(['修正 too old']);
    expect((await find('"正 t"')).titles).toEqual([]);
    expect((await find('*" OR "')).titles).toEqual([]);
  });

  it('searches the newest runs with fewer characters, the same ones on every page', async () => {
    const [first, second] = ['Run 2', `Run ${newestSearched + 1}`];
    const sortings = (['updated_at', 'created_at', 'title'] as const).map((sortBy) => ({ sortBy }));
    const pages = [];
    for (const sorting of sortings) {
      const { titles, next } = await find('修正', { ...sorting, limit: 1 });
      expect(titles).toEqual([second]);
      pages.push({ ...sorting, after: next });
    }
    await createRuns(db()).create(aServiceRun());
    for (const page of pages) expect((await find('修正', page)).titles).toEqual([first]);
  });
});
