import { Unreadable } from 'base/secrets/encryption';
import { sql } from 'kysely';
import { createRuns } from 'runs-service/store/runs';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  createDatabase,
  openTestDatabase,
} from '../../../packages/runs-service/test/support/databases.ts';
import { aServiceRun } from '../../../packages/runs-service/test/support/service/service-run-builder.ts';

describe('an encrypted value', () => {
  it.each([
    ['another column of its row', sql`update service_runs set prompt = config_json`],
    [
      'another row',
      sql`update service_runs set prompt = (select max(r.prompt) from service_runs r)`,
    ],
  ])("can't be read in %s", async (_place, move) => {
    const db = await openTestDatabase(await createDatabase());
    onTestFinished(() => db.destroy());
    const runs = createRuns(db);
    const { id } = await runs.create(aServiceRun({ prompt: 'one' }));
    expect((await runs.get(id))?.prompt).toBe('one');
    await runs.create(aServiceRun({ prompt: 'another' }));
    await move.execute(db);
    const rows = await db.selectFrom('service_runs').selectAll().execute();
    expect(() => rows.map((row) => row.prompt)).toThrow(Unreadable);
  });
});
