import { closeSync, createReadStream, createWriteStream, openSync, writeFileSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { createRedactor } from '../output/redactor.ts';

/**
 * A hunk of no file, at which git refuses the whole patch. It comes first: after a binary file that is cut, git reads no
 * further, and applies what came before.
 */
const incompleteBeginning = 'This patch is incomplete. Do not apply it.\n@@ -1 +1 @@\n';

/** Puts a part of a patch in another file, where no tool takes it for a whole one. */
export async function keepIncomplete(part: string, file: string): Promise<void> {
  await writeFile(file, incompleteBeginning, { mode: 0o600 });
  await pipeline(createReadStream(part), createWriteStream(file, { flags: 'a' }));
  await rm(part);
}

export type PatchWriter = {
  push(chunk: Buffer): void;
  /** Aborts when nothing more is taken. */
  full: AbortSignal;
  /** @throws what the file system said when the patch could not be written */
  close(): void;
};

/** Writes a patch as it comes, without secrets, up to a limit. */
export function createPatchWriter(
  file: string,
  secrets: readonly string[],
  limitBytes: number,
): PatchWriter {
  const descriptor = openSync(file, 'w', 0o600);
  const redactor = createRedactor(secrets);
  const full = new AbortController();
  let room = limitBytes;
  let failure: { error: unknown } | undefined;

  /** Runs inside of a stream's listener, where an exception would end the process. */
  function append(chunk: Buffer): void {
    if (full.signal.aborted) return;
    try {
      writeFileSync(descriptor, chunk.subarray(0, room));
    } catch (error) {
      failure = { error };
    }
    if (failure || chunk.length > room) full.abort();
    room -= chunk.length;
  }

  return {
    push: (chunk: Buffer) => append(redactor.push(chunk)),
    full: full.signal,
    close() {
      append(redactor.flush());
      closeSync(descriptor);
      if (failure) throw failure.error;
    },
  };
}
