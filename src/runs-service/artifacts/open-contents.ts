import type { ArtifactsBucket } from '../../config/artifacts-url.ts';
import type { RunFiles } from '../execution/run-files.ts';
import type { ContentStore } from './content-store.ts';
import { createDiskStore } from './disk-store.ts';
import { createS3Store } from './s3-store.ts';

/** In a bucket, or in the data folder of this service. */
export const openContents = (
  bucket: ArtifactsBucket | undefined,
  files: Pick<RunFiles, 'artifactsDir'>,
): ContentStore => (bucket ? createS3Store(bucket) : createDiskStore(files.artifactsDir));
