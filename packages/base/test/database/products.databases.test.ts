import { sql } from 'kysely';
import { afterEach, describe, expect, it } from 'vitest';
import { openDatabase, withPresentTables } from '../../src/database/database.ts';
import type { AnyDb, Tables } from '../../src/database/tables.ts';
import { ExplainedError } from '../../src/explained-error.ts';
import { createEmptyDatabase } from '../support/databases.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { testEncryption } from '../support/test-key.ts';

/** A product with one table. */
const product = (name: string): Tables => ({
  history: `${name}_migrations`,
  migrations: {
    '001-initial': {
      up: async (db) => {
        await sql`create table ${sql.table(`${name}_notes`)} (id text primary key, text text)`.execute(
          db,
        );
      },
    },
  },
  encryptedColumns: { [`${name}_notes`]: { text: 'id' } },
  rekeyedTables: [],
});

const [shop, bank] = [product('shop'), product('bank')];
const both = [shop, bank];
const options = { encryption: testEncryption };

describe('a database of several products', () => {
  const opened: AnyDb[] = [];
  afterEach(async () => {
    for (const db of opened.splice(0)) await db.destroy();
  });

  async function open(url: string, tables: readonly Tables[]): Promise<AnyDb> {
    const db = await openDatabase<Record<string, object>>(url, tables, options);
    opened.push(db);
    return db;
  }

  const presentIn = (url: string) =>
    withPresentTables(url, both, options, async (_, present) =>
      present.map((each) => each.history),
    );

  /** Creates a database like earlier builds did, with one migration history for all products. */
  async function createEarlier(): Promise<string> {
    const url = await createEmptyDatabase(temporaryFolder());
    const db = await open(url, both);
    for (const { history } of both) {
      await sql`drop table ${sql.table(history)}`.execute(db);
      await sql`drop table ${sql.table(`${history}_lock`)}`.execute(db);
    }
    await sql`create table kysely_migration (name text primary key)`.execute(db);
    return url;
  }

  it('names the products that have used it', async () => {
    const url = await createEmptyDatabase(temporaryFolder());
    expect(await presentIn(url)).toEqual([]);
    await open(url, [bank]);
    expect(await presentIn(url)).toEqual(['bank_migrations']);
    await open(url, both);
    expect(await presentIn(url)).toEqual(['shop_migrations', 'bank_migrations']);
  });

  it("isn't opened with the tables of an earlier build, not even by a command", async () => {
    const url = await createEarlier();
    const rejected = new ExplainedError(
      'The database has a table "shop_notes" of an earlier build or another program, which this version can\'t use. Set DATABASE_URL to an empty database, or DATA_DIR to an empty folder.',
    );
    await expect(open(url, both)).rejects.toThrow(rejected);
    await expect(presentIn(url)).rejects.toThrow(rejected);
    // The failed start changed nothing, so the next one fails in the same way.
    await expect(presentIn(url)).rejects.toThrow(rejected);
  });

  it('says what is wrong if a command cannot open it', async () => {
    const away = 'postgres://127.0.0.1:9/none';
    await expect(presentIn(away)).rejects.toThrow(ExplainedError);
    await expect(presentIn(`sqlite:${temporaryFolder()}`)).rejects.toThrow(ExplainedError);
  });
});
