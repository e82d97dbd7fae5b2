import type { AnyDb } from '../database/tables.ts';
import { ExplainedError } from '../explained-error.ts';
import { Unreadable } from '../secrets/encryption.ts';
import { Secret } from './secret.ts';

const id = 'key';

/**
 * Checks at startup that the encryption key fits the database. In a new database, stores a proof of the key.
 * @throws ExplainedError for a wrong key
 */
export async function checkKey(db: AnyDb): Promise<void> {
  await db
    .insertInto('encryption_check')
    .values({ id, proof: new Secret('proof', id, 'readable') })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute();
  try {
    await readProof(db);
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    throw new ExplainedError(
      `The database was encrypted with another key: ${error.message}. Set ENCRYPTION_KEY to that key, or put its file back as encryption.key into DATA_DIR. Without it, a backup of it, or a rotation that finished, the data can't be read.`,
      { cause: error },
    );
  }
}

/**
 * Reads the stored proof of the encryption key.
 * @throws Unreadable if the proof was encrypted with another key
 */
export const readProof = async (db: AnyDb): Promise<string | undefined> =>
  (await db.selectFrom('encryption_check').selectAll().executeTakeFirst())?.['proof'];
