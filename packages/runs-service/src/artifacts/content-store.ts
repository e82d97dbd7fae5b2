import { createReadStream } from 'node:fs';
import { access, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** Store for the contents of artifacts. Contents are encrypted, and named by the SHA-256 of the encrypted bytes. */
export type ContentStore = {
  /** Moves a local file into the store. */
  put(name: string, file: string, signal: AbortSignal): Promise<void>;
  /** Reads the contents of this name. Returns undefined if the store doesn't have them. */
  read(name: string): Promise<AsyncIterable<Buffer> | undefined>;
  delete(name: string): Promise<void>;
  /**
   * Deletes contents older than `maxAgeMs`, and returns their number. The disk store doesn't have this function,
   * because the service prunes its folder like other folders.
   */
  prune?(maxAgeMs: number, signal: AbortSignal): Promise<number>;
};

/** Creates a store that keeps contents in a local folder. */
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
