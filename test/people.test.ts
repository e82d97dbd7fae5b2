import { openDatabase } from 'base/database/database';
import type { Tables } from 'base/database/tables';
import { ExplainedError } from 'base/explained-error';
import { serviceTables } from 'runs-service/store/tables';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { temporaryFolder } from '../packages/base/test/support/temporary-folder.ts';
import { testEncryption, testEncryptionKey } from '../packages/base/test/support/test-key.ts';
import { run } from '../src/bin/people.ts';
import { inspectDatabase } from '../src/store/inspect-database.ts';
import { botTables } from '../src/store/tables.ts';

beforeEach(() => vi.stubEnv('ENCRYPTION_KEY', testEncryptionKey));
afterEach(() => vi.unstubAllEnvs());

const all = [botTables, serviceTables];

/** Creates a database that some products have used. */
async function createDatabase(tables: readonly Tables[]): Promise<string> {
  const url = `sqlite:${temporaryFolder()}/some.db`;
  await (await openDatabase(url, tables, { encryption: testEncryption })).destroy();
  vi.stubEnv('DATABASE_URL', url);
  return url;
}

it.each([
  ['nothing', []],
  ['the runs service', [serviceTables]],
])('says that a database with %s has no data of people', async (_, tables) => {
  await createDatabase(tables);
  for (const command of ['export', 'delete'])
    await expect(run([command, 'U0123ABCD'])).rejects.toThrow(
      new ExplainedError(
        'The bot has never used this database, so it has no data of people. Check DATABASE_URL and DATA_DIR.',
      ),
    );
});

it('finds nothing wrong with a database that only the runs service has used', async () => {
  const url = await createDatabase([serviceTables]);
  expect(await inspectDatabase(url, all, testEncryption)).toMatchObject({
    missing: [],
    unknown: [],
    isReadable: true,
    teamIds: [],
  });
});
