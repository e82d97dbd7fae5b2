import { sql } from 'kysely';
import type { AnyDb, Tables } from '../database/tables.ts';
import { ExplainedError } from '../explained-error.ts';
import { type Encryption, Unreadable } from '../secrets/encryption.ts';
import { placeOf } from './secret.ts';

const rowsAtOnce = 100;

type Column = { table: string; column: string; owner: string; isCounted: boolean };

/**
 * Finds all values that are encrypted with the other key, and encrypts them with the current key. The app can run
 * meanwhile with both keys. A value that the app changes meanwhile isn't overwritten, but read again. Can be
 * interrupted and repeated.
 * @param all tables of every product in this database
 * @returns number of values that were encrypted again
 */
export async function rotate(
  db: AnyDb,
  all: readonly Tables[],
  encryption: Encryption,
): Promise<number> {
  let count = 0;
  for (const { encryptedColumns, rekeyedTables } of all)
    for (const [table, columns] of Object.entries(encryptedColumns))
      for (const [column, owner] of Object.entries(columns)) {
        const at = { table, column, owner, isCounted: rekeyedTables.includes(table) };
        count += await rotateColumn(db, at, encryption);
      }
  // Rotate the proof of the key last, because an interrupted rotation still needs both keys.
  return count + (await rotateColumn(db, proof, encryption));
}

const proof: Column = { table: 'encryption_check', column: 'proof', owner: 'id', isCounted: false };

async function rotateColumn(db: AnyDb, at: Column, encryption: Encryption): Promise<number> {
  let count = 0;
  let from = '';
  for (;;) {
    const rows = await outdated(db, at, { from, prefix: encryption.prefix });
    const replaced = await Promise.all(rows.map((row) => replace(db, at, row, encryption)));
    count += replaced.reduce((sum, each) => sum + each, 0);
    const last = rows.at(-1);
    if (!last) return count;
    from = last.row_owner;
  }
}

/** Row to rotate. Its columns aren't named as in the table, so that the driver doesn't decrypt the value. */
type Outdated = { row_owner: string; stored: string };

/**
 * Returns the next page of values that are encrypted with the other key. Starts with the last owner of the previous
 * page, because one owner can have several rows.
 */
async function outdated(
  db: AnyDb,
  { table, column, owner }: Column,
  { from, prefix }: { from: string; prefix: string },
): Promise<Outdated[]> {
  const { rows } = await sql<Outdated>`
    select ${sql.ref(owner)} as row_owner, ${sql.ref(column)} as stored from ${sql.table(table)}
    where ${sql.ref(owner)} >= ${from} and substr(${sql.ref(column)}, 1, ${sql.lit(prefix.length)}) <> ${prefix}
    order by ${sql.ref(owner)} limit ${sql.lit(rowsAtOnce)}`.execute(db);
  return rows;
}

async function replace(
  db: AnyDb,
  { table, column, owner, isCounted }: Column,
  { row_owner: id, stored }: Outdated,
  encryption: Encryption,
): Promise<number> {
  const renewed = renew(encryption, stored, { place: placeOf(column, id), table });
  // Mark the row as rekeyed. A trigger compares that column, so that a new key doesn't make the row's Slack message
  // due.
  const quietly = isCounted ? sql`, rekeyed = rekeyed + 1` : sql``;
  const { numAffectedRows } = await sql`
    update ${sql.table(table)} set ${sql.ref(column)} = ${renewed} ${quietly}
    where ${sql.ref(owner)} = ${id} and ${sql.ref(column)} = ${stored}`.execute(db);
  return Number(numAffectedRows ?? 0n);
}

/**
 * Decrypts a value and encrypts it with the current key.
 * @throws ExplainedError that names a value that can't be decrypted
 */
function renew(
  encryption: Encryption,
  stored: string,
  { place, table }: { place: string; table: string },
): string {
  try {
    return encryption.encrypt(encryption.decrypt(stored, place), place);
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    throw new ExplainedError(
      `Can't read ${place} in the table ${table}: ${error.message}. Keep both keys, repair or delete this row, and run this again.`,
      { cause: error },
    );
  }
}
