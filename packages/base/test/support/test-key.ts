import { type Dialect, sql } from 'kysely';
import type { AnyDb, Tables } from '../../src/database/tables.ts';
import { ownersOf } from '../../src/database/tables.ts';
import { encryptingDialect } from '../../src/encryption/encrypting-dialect.ts';
import { Secret } from '../../src/encryption/secret.ts';
import { createEncryption } from '../../src/secrets/encryption.ts';

/** Value of `ENCRYPTION_KEY` in tests. */
export const testEncryptionKey = Buffer.alloc(32, 'test key').toString('base64');

export const testKeys = { current: Buffer.from(testEncryptionKey, 'base64'), other: undefined };

export const testEncryption = createEncryption(testKeys.current);

export const withTestKey = (dialect: Dialect, tables: readonly Tables[]): Dialect =>
  encryptingDialect(dialect, ownersOf(tables), testEncryption);

/** Writes a text to an encrypted column of every row, for rows that SQL has made. */
export async function fillEncrypted(
  db: AnyDb,
  { table, column, text }: { table: string; column: string; text: string },
): Promise<void> {
  const { rows } = await sql<{ id: string }>`select id from ${sql.table(table)}`.execute(db);
  for (let from = 0; from < rows.length; from += 1_000) {
    const pairs = rows
      .slice(from, from + 1_000)
      .map(({ id }) => sql`(cast(${id} as text), cast(${new Secret(column, id, text)} as text))`);
    await sql`
      with filled(row_id, secret) as (values ${sql.join(pairs)})
      update ${sql.table(table)} set ${sql.ref(column)} = secret from filled where id = row_id
    `.execute(db);
  }
}
