import { copyFile, mkdir, open, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import type { RunFiles } from '../../execution/files/run-files.ts';
import { createKeyedLock } from '../../execution/keyed-lock.ts';

/** Schema of the position in the run's output file at which an attempt's output starts. */
const startSchema = z.object({ attempt: z.number(), start: z.number() });

export type FileTarget = { runId: string; attempt: number; name: string };

const sizeOf = async (file: string) => (await stat(file).catch(() => undefined))?.size;

/**
 * Creates the store for files that arrive in chunks. Chunks have offsets, so a repeated chunk changes nothing. Until
 * they're complete, all files except the output are in a separate folder of the run.
 */
export function createReceivedFiles(files: RunFiles) {
  const withLock = createKeyedLock();
  const folderOf = files.incomingDir;
  const waiting = ({ runId, attempt, name }: FileTarget) =>
    join(folderOf(runId), `${attempt}-${name}`);

  /** Returns the position at which the attempt's output starts, after the output of earlier attempts. */
  async function outputStart({ runId, attempt }: FileTarget): Promise<number> {
    const file = join(folderOf(runId), 'output.json');
    const known = await readFile(file, 'utf8').catch(() => undefined);
    const found = known === undefined ? undefined : startSchema.parse(JSON.parse(known));
    if (found?.attempt === attempt) return found.start;
    const start = (await sizeOf(files.outputFile(runId))) ?? 0;
    await writeFile(`${file}.new`, JSON.stringify({ attempt, start }), { mode: 0o600 });
    await rename(`${file}.new`, file);
    return start;
  }

  async function destinationOf(target: FileTarget): Promise<{ file: string; start: number }> {
    await mkdir(folderOf(target.runId), { recursive: true, mode: 0o700 });
    if (target.name !== 'output') return { file: waiting(target), start: 0 };
    return { file: files.outputFile(target.runId), start: await outputStart(target) };
  }

  return {
    /**
     * Writes a chunk, unless bytes before it are missing.
     * @returns the number of bytes that have arrived
     */
    write: (target: FileTarget, offset: number, chunk: Buffer): Promise<number> =>
      withLock(target.runId, async () => {
        const { file, start } = await destinationOf(target);
        const size = await sizeOf(file);
        const receivedBytes = Math.max(0, (size ?? 0) - start);
        const isKnown = size !== undefined && offset + chunk.length <= receivedBytes;
        if (offset > receivedBytes || isKnown) return receivedBytes;
        const handle = await open(file, size === undefined ? 'w' : 'r+', 0o600);
        try {
          await handle.write(chunk, 0, chunk.length, start + offset);
        } finally {
          await handle.close();
        }
        return offset + chunk.length;
      }),

    /** Returns the number of bytes of the file that have arrived. */
    have: (target: FileTarget): Promise<number> =>
      withLock(target.runId, async () => {
        const { file, start } = await destinationOf(target);
        return Math.max(0, ((await sizeOf(file)) ?? 0) - start);
      }),

    /** Returns the path of the file, or undefined if it hasn't arrived completely. */
    async whole(target: FileTarget, bytes: number): Promise<string | undefined> {
      const file = waiting(target);
      return (await sizeOf(file)) === bytes ? file : undefined;
    },

    /** Moves a complete file to its destination. Returns false if it hasn't arrived and wasn't moved before. */
    async moveTo(target: FileTarget, bytes: number, destination: string): Promise<boolean> {
      const file = await this.whole(target, bytes);
      if (file === undefined) return (await sizeOf(destination)) === bytes;
      await mkdir(dirname(destination), { recursive: true, mode: 0o700 });
      // Copy the file, because `rename` fails if transcripts are in a shared folder on another disk.
      await copyFile(file, `${destination}.new`);
      await rename(`${destination}.new`, destination);
      await rm(file);
      return true;
    },

    /** Deletes incomplete files after the end of a run. */
    clear: (runId: string): Promise<void> => rm(folderOf(runId), { recursive: true, force: true }),
  };
}
export type ReceivedFiles = ReturnType<typeof createReceivedFiles>;
