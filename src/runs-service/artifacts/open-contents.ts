import type { ArtifactsBucket } from '../../config/artifacts-url.ts';
import type { ArtifactFile } from '../../store/service/service-artifacts.ts';
import { readSealed } from '../execution/memory/sealed-file.ts';
import type { RunFiles } from '../execution/run-files.ts';
import { type ContentStore, createDiskStore } from './content-store.ts';
import { createS3Store } from './s3-store.ts';

/** In a bucket, or in the data folder of this service. */
export const openContents = (
  bucket: ArtifactsBucket | undefined,
  files: Pick<RunFiles, 'artifactsDir'>,
): ContentStore => (bucket ? createS3Store(bucket) : createDiskStore(files.artifactsDir));

/** Undefined if this process doesn't have it. Throws `BrokenSeal` while it's read. */
export type ReadContent = (file: ArtifactFile) => Promise<AsyncIterable<Buffer> | undefined>;

export const createReadContent =
  (store: Pick<ContentStore, 'read'>): ReadContent =>
  async ({ contentName, key }) => {
    const stored = await store.read(contentName);
    return stored && readSealed(stored, key);
  };
