import type { ArtifactsBucket } from '../config/artifacts-url.ts';
import type { RunFiles } from '../execution/files/run-files.ts';
import { BrokenSealError, readSealed } from '../execution/memory/sealed-file.ts';
import type { ArtifactFile } from '../store/artifacts.ts';
import { type ContentStore, createDiskStore } from './content-store.ts';
import { createS3Store } from './s3-store.ts';

/** Opens the store for artifact contents: the bucket if there is one, else the service's data folder. */
export const openContents = (
  bucket: ArtifactsBucket | undefined,
  files: Pick<RunFiles, 'artifactsDir'>,
): ContentStore => (bucket ? createS3Store(bucket) : createDiskStore(files.artifactsDir));

/**
 * Function that opens the contents of a file. Returns undefined if this process doesn't have them. Reading throws
 * `BrokenSealError` if the bytes or their number are wrong.
 */
export type ReadContent = (file: ArtifactFile) => Promise<AsyncIterable<Buffer> | undefined>;

export const createReadContent =
  (store: Pick<ContentStore, 'read'>): ReadContent =>
  async ({ contentName, key, bytes }) => {
    const stored = await store.read(contentName);
    return stored && withSize(readSealed(stored, key), bytes);
  };

/**
 * Yields the chunks, and fails if their total size is wrong. A remote run may have reported a wrong size, which a
 * response header has already promised.
 */
async function* withSize(chunks: AsyncIterable<Buffer>, bytes: number): AsyncGenerator<Buffer> {
  let left = bytes;
  for await (const chunk of chunks) {
    left -= chunk.length;
    if (left < 0) break;
    yield chunk;
  }
  if (left !== 0) throw new BrokenSealError("the file's size isn't what was reported");
}
