import { sql } from 'kysely';
import { expect, it, onTestFinished } from 'vitest';
import { openDatabase, withPresentTables } from '../../src/database/database.ts';
import type { Tables } from '../../src/database/tables.ts';
import { createEmptyPostgresDatabase } from '../support/databases.ts';
import { testEncryption } from '../support/test-key.ts';

const product = (name: string): Tables => ({
  history: `${name}_migrations`,
  migrations: {
    '001-initial': {
      up: async (db) => {
        await sql`create table ${sql.table(`${name}_notes`)} (id text, text text)`.execute(db);
        await sql`select pg_sleep(0.1)`.execute(db);
      },
    },
  },
  encryptedColumns: { [`${name}_notes`]: { text: 'id' } },
  rekeyedTables: [],
});

it('can be opened for the first time by several processes of two products at once', async () => {
  const [shop, bank] = [product('shop'), product('bank')];
  const options = { encryption: testEncryption };
  for (let round = 0; round < 5; round += 1) {
    const url = await createEmptyPostgresDatabase();
    const open = async (tables: readonly Tables[]) => {
      const db = await openDatabase(url, tables, options);
      onTestFinished(() => db.destroy());
    };
    await Promise.all([[shop], [bank], [shop, bank], [bank], [shop]].map(open));
    const present = await withPresentTables(url, [shop, bank], options, async (_, all) => all);
    expect(present).toEqual([shop, bank]);
  }
});
