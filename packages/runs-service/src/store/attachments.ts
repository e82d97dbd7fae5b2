import { setImmediate } from 'node:timers/promises';
import { Secret } from 'base/encryption/secret';
import type { Attachment } from 'runs-client/attachment';
import type { Db } from './schema.ts';

/** Part of an attached file. Parts are small, because encrypting and storing a part blocks the process. */
type Part = Attachment & {
  /** Position of the file among the run's files, starting at 0. */
  file: number;
};
/** Max characters of a part. The number is divisible by four, so that each part is valid base64. */
const partCharacters = 256 * 1024;

function* partsOf(attachments: readonly Attachment[]): Generator<Part> {
  for (const [file, { data, ...rest }] of attachments.entries())
    for (let from = 0; from === 0 || from < data.length; from += partCharacters)
      yield { ...rest, file, data: data.slice(from, from + partCharacters) };
}

/**
 * Stores a run's attached files in parts, so that the process can handle other work between parts. Called before the
 * run is stored, so that no transaction stays open.
 */
export async function storeAttachments(
  db: Db,
  run_id: string,
  attachments: readonly Attachment[],
): Promise<void> {
  const stored_at = Date.now();
  let number = 0;
  for (const part of partsOf(attachments)) {
    await setImmediate();
    const part_json = new Secret('part_json', run_id, JSON.stringify(part));
    await db
      .insertInto('service_run_attachments')
      .values({ run_id, number, part_json, stored_at })
      .execute();
    number += 1;
  }
}

/** Reads a run's attached files. Returns an empty list if the run has ended. */
export async function readAttachments(db: Db, runId: string): Promise<Attachment[]> {
  const rows = db.selectFrom('service_run_attachments').where('run_id', '=', runId);
  const found: Attachment[] = [];
  for (const { number } of await rows.select('number').orderBy('number').execute()) {
    await setImmediate();
    const row = await rows.selectAll().where('number', '=', number).executeTakeFirst();
    if (!row) return [];
    const { file, data, ...rest }: Part = JSON.parse(row.part_json);
    found[file] = { ...rest, data: (found[file]?.data ?? '') + data };
  }
  return found;
}

/**
 * Deletes attached files without a run. They remain if creating the run was interrupted, or was repeated with the same
 * idempotency key.
 */
export async function deleteLostAttachments(db: Db, storedBefore: number): Promise<void> {
  await db
    .deleteFrom('service_run_attachments')
    .where('stored_at', '<', storedBefore)
    .where('run_id', 'not in', db.selectFrom('service_runs').select('id'))
    .execute();
}
