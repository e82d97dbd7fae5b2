import { createReadStream } from 'node:fs';
import { access, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** Store for the contents of artifacts, which are encrypted and named by the SHA-256 of the stored bytes. */
export type ContentStore = {
  /** Takes over the local file. */
  put(name: string, file: string, signal: AbortSignal): Promise<void>;
  /** Returns undefined if the store doesn't have it. */
  read(name: string): Promise<AsyncIterable<Buffer> | undefined>;
  delete(name: string): Promise<void>;
  /** Deletes what is older. Returns how many contents. Those on this machine are pruned like other files. */
  prune?(maxAgeMs: number, signal: AbortSignal): Promise<number>;
};

/** Contents in a folder of this machine. */
export const createDiskStore = (folder: string): ContentStore => ({
  put: (name, file) => rename(file, join(folder, name)),

  delete: (name) => rm(join(folder, name), { force: true }),

  async read(name) {
    const file = join(folder, name);
    const isHere = await access(file).then(
      () => true,
      () => false,
    );
    return isHere ? createReadStream(file) : undefined;
  },
});
