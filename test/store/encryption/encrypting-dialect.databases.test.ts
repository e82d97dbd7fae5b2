import { sql } from 'kysely';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Unreadable } from '../../../src/lib/secrets/encryption.ts';
import { createServiceRuns } from '../../../src/store/service/runs/service-runs.ts';
import { createDatabase } from '../../support/database/databases.ts';
import { openTestDatabase } from '../../support/database/test-key.ts';
import { aServiceRun } from '../../support/service/service-run-builder.ts';

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
    const runs = createServiceRuns(db);
    const { id } = await runs.create(aServiceRun({ prompt: 'one' }));
    expect((await runs.get(id))?.prompt).toBe('one');
    await runs.create(aServiceRun({ prompt: 'another' }));
    await move.execute(db);
    const rows = await db.selectFrom('service_runs').selectAll().execute();
    expect(() => rows.map((row) => row.prompt)).toThrow(Unreadable);
  });
});
