import { createHash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createSealedWriter, newFileKey } from '../execution/memory/sealed-file.ts';
import { createRedactor } from '../execution/output/redactor.ts';
import type { ContentStore } from './content-store.ts';

type WrittenContent = {
  contentName: string;
  key: string;
  bytes: number;
};

type ContentWriterOptions = {
  /** Folder of the file until it's complete. */
  folder: string;
  store: ContentStore;
  /** Aborts when storing takes too long. */
  signal: AbortSignal;
  /** Masked in the content. */
  hidden: readonly string[];
};

const startBytes = 4_096;

/** Encrypts a content as it comes, with its own key. */
export function createContentWriter({ folder, store, signal, hidden }: ContentWriterOptions) {
  const file = join(folder, `new-${randomUUID()}`);
  const key = newFileKey();
  const sealed = createSealedWriter(file, key, Number.POSITIVE_INFINITY);
  const redactor = createRedactor(hidden);
  let start = Buffer.alloc(0);
  let bytes = 0;

  function append(chunk: Buffer): void {
    bytes += chunk.length;
    if (start.length < startBytes)
      start = Buffer.concat([start, chunk.subarray(0, startBytes - start.length)]);
    sealed.push(chunk);
  }

  return {
    /** Runs in a stream's listener, where an exception would end the process. */
    push: (chunk: Buffer) => append(redactor.push(chunk)),

    /** @throws the file system's error if the content couldn't be written */
    close(): void {
      append(redactor.flush());
      sealed.close();
    },

    /** The first 4 KiB in clear, to tell what it is. */
    start: () => start,

    /** Stores the content. Call it after `close`. */
    async store(): Promise<WrittenContent> {
      try {
        const contentName = await hashOfFile(file);
        await store.put(contentName, file, signal);
        return { contentName, key, bytes };
      } catch (error) {
        await this.discard();
        throw error;
      }
    },

    discard: () => rm(file, { force: true }),
  };
}
export type ContentWriter = ReturnType<typeof createContentWriter>;

/** Returns the name of a stored content. */
export async function hashOfFile(file: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(file)) hash.update(chunk);
  return hash.digest('hex');
}
