import type { ArtifactFile } from '../../store/service/service-artifacts.ts';
import { readSealed } from '../execution/memory/sealed-file.ts';
import type { ContentStore } from './content-store.ts';

/** Undefined if this process doesn't have it. Throws `BrokenSeal` while it's read. */
export type ReadContent = (file: ArtifactFile) => Promise<AsyncIterable<Buffer> | undefined>;

export const createReadContent =
  (store: Pick<ContentStore, 'read'>): ReadContent =>
  async ({ contentName, key }) => {
    const stored = await store.read(contentName);
    return stored && readSealed(stored, key);
  };
