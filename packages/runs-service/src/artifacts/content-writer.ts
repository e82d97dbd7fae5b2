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
  /** Folder for the incomplete file. */
  folder: string;
  store: ContentStore;
  /** Aborts when storing takes too long. */
  signal: AbortSignal;
  /** Secrets to mask in the file. */
  hidden: readonly string[];
};

const startBytes = 4_096;

/** Creates a writer that encrypts a file while it arrives. Each file has its own key. */
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
    /**
     * Writes a chunk. Errors are thrown by `close`, because an exception in a stream's listener would end the process.
     */
    push: (chunk: Buffer) => append(redactor.push(chunk)),

    /**
     * Ends writing.
     * @throws the file system's error if the content couldn't be written
     */
    close(): void {
      append(redactor.flush());
      sealed.close();
    },

    /** Returns the first 4 KiB unencrypted, to detect the file's type. */
    start: () => start,

    /** Moves the encrypted file to the store. Call it after `close`. */
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

/** Returns the SHA-256 of a file, which is its name in the store. */
export async function hashOfFile(file: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(file)) hash.update(chunk);
  return hash.digest('hex');
}
