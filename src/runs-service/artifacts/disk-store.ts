import { createReadStream } from 'node:fs';
import { access, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { ContentStore } from './content-store.ts';

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
