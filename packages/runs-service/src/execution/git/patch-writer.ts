import { closeSync, createReadStream, createWriteStream, openSync, writeFileSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { createRedactor } from '../output/redactor.ts';

/**
 * A hunk without a file makes git refuse the whole patch. It has to come first: at a cut binary file git stops reading
 * and applies what came before.
 */
const incompleteHeader = 'This patch is incomplete. Do not apply it.\n@@ -1 +1 @@\n';

/** Moves a partial patch to a file that no tool can mistake for a whole patch. */
export async function saveIncomplete(part: string, file: string): Promise<void> {
  await writeFile(file, incompleteHeader, { mode: 0o600 });
  await pipeline(createReadStream(part), createWriteStream(file, { flags: 'a' }));
  await rm(part);
}

type PatchWriter = {
  push(chunk: Buffer): void;
  /** Aborts at the size limit, or when writing fails. */
  full: AbortSignal;
  /** @throws the file system's error if the patch couldn't be written */
  close(): void;
};

/** Writes a patch without secrets, up to a limit. */
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

  /** Runs in a stream's listener, where an exception would end the process. */
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
