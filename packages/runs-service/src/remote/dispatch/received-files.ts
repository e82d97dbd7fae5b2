import { copyFile, mkdir, open, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import type { RunFiles } from '../../execution/files/run-files.ts';
import { createKeyedLock } from '../../execution/keyed-lock.ts';

/** Where the output of an attempt begins in the run's file. */
const startSchema = z.object({ attempt: z.number(), start: z.number() });

export type Target = { runId: string; attempt: number; name: string };

const sizeOf = async (file: string) => (await stat(file).catch(() => undefined))?.size;

/**
 * Files that come in chunks, each with its offset, so that a repeated chunk changes nothing. Everything but the output
 * waits in a folder of its run until it is whole.
 */
export function createReceivedFiles(files: RunFiles) {
  const withLock = createKeyedLock();
  const folderOf = files.incomingDir;
  const waiting = ({ runId, attempt, name }: Target) => join(folderOf(runId), `${attempt}-${name}`);

  /** Lines of an earlier attempt stay. */
  async function outputStart({ runId, attempt }: Target): Promise<number> {
    const file = join(folderOf(runId), 'output.json');
    const known = await readFile(file, 'utf8').catch(() => undefined);
    const found = known === undefined ? undefined : startSchema.parse(JSON.parse(known));
    if (found?.attempt === attempt) return found.start;
    const start = (await sizeOf(files.outputFile(runId))) ?? 0;
    await writeFile(`${file}.new`, JSON.stringify({ attempt, start }), { mode: 0o600 });
    await rename(`${file}.new`, file);
    return start;
  }

  async function placeOf(target: Target): Promise<{ file: string; start: number }> {
    await mkdir(folderOf(target.runId), { recursive: true, mode: 0o700 });
    if (target.name !== 'output') return { file: waiting(target), start: 0 };
    return { file: files.outputFile(target.runId), start: await outputStart(target) };
  }

  return {
    /** @returns how many bytes are here now. A chunk after a gap isn't written. */
    write: (target: Target, offset: number, chunk: Buffer): Promise<number> =>
      withLock(target.runId, async () => {
        const { file, start } = await placeOf(target);
        const size = await sizeOf(file);
        const have = Math.max(0, (size ?? 0) - start);
        const isKnown = size !== undefined && offset + chunk.length <= have;
        if (offset > have || isKnown) return have;
        const handle = await open(file, size === undefined ? 'w' : 'r+', 0o600);
        try {
          await handle.write(chunk, 0, chunk.length, start + offset);
        } finally {
          await handle.close();
        }
        return offset + chunk.length;
      }),

    /** Returns the number of received bytes of a file. */
    have: (target: Target): Promise<number> =>
      withLock(target.runId, async () => {
        const { file, start } = await placeOf(target);
        return Math.max(0, ((await sizeOf(file)) ?? 0) - start);
      }),

    /** Where the whole file is; undefined if it isn't here. */
    async whole(target: Target, bytes: number): Promise<string | undefined> {
      const file = waiting(target);
      return (await sizeOf(file)) === bytes ? file : undefined;
    },

    /** Moves a whole file into its place. False if it isn't here, and wasn't moved before. */
    async moveTo(target: Target, bytes: number, destination: string): Promise<boolean> {
      const file = await this.whole(target, bytes);
      if (file === undefined) return (await sizeOf(destination)) === bytes;
      await mkdir(dirname(destination), { recursive: true, mode: 0o700 });
      // The folder of transcripts can be shared, and so on another disk.
      await copyFile(file, `${destination}.new`);
      await rename(`${destination}.new`, destination);
      await rm(file);
      return true;
    },

    /** Deletes received files, which aren't needed after the end of a run. */
    clear: (runId: string): Promise<void> => rm(folderOf(runId), { recursive: true, force: true }),
  };
}
export type ReceivedFiles = ReturnType<typeof createReceivedFiles>;
