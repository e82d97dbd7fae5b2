import { createReadStream } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { sleep } from 'base/sleep';
import { retryDelayMs } from 'base/time/retry-delay';
import type { ArtifactsBucket } from '../config/artifacts-url.ts';
import type { ContentStore } from './content-store.ts';

/**
 * Matches the names of artifact contents. Objects with other names are kept, because other programs may use the same
 * prefix.
 */
const isContentName = /^[0-9a-f]{64}$/;
const maxAttempts = 4;
const requestMs = 20_000;
/** Max time between two parts of a response, in ms. A slow reader can also cause a delay. */
const defaultStallMs = 60_000;

/** Drops the SDK's log messages. The SDK would print failures to the console, although it also throws them. */
const silence = () => {};
const silent = { trace: silence, debug: silence, info: silence, warn: silence, error: silence };

/** Connects to the bucket. Loads the SDK on first use, because loading takes 250 ms and 20 MB. */
async function connect({ region, endpoint, credentials }: ArtifactsBucket, stallMs: number) {
  const sdk = await import('@aws-sdk/client-s3');
  const client = new sdk.S3Client({
    logger: silent,
    requestHandler: { socketTimeout: stallMs },
    ...(region !== undefined && { region }),
    // Use path-style addresses for stores other than AWS, which rarely have a domain for each bucket and accept any
    // region.
    ...(endpoint !== undefined && {
      endpoint,
      forcePathStyle: true,
      region: region ?? 'us-east-1',
    }),
    ...(credentials && { credentials }),
    // Send checksums only if required, because many stores don't support the SDK's default checksums. Encryption
    // already authenticates contents.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  });
  return { sdk, client };
}

/** Creates a store that keeps contents in a bucket, which all replicas can read. */
export function createS3Store(
  target: ArtifactsBucket,
  { stallMs = defaultStallMs } = {},
): ContentStore {
  const { bucket: Bucket, prefix } = target;
  const keyOf = (name: string) => `${prefix}${name}`;
  let connection: ReturnType<typeof connect> | undefined;
  const open = () => {
    connection ??= connect(target, stallMs);
    return connection;
  };

  async function upload(name: string, file: string, signal: AbortSignal): Promise<void> {
    const { sdk, client } = await open();
    const { size: ContentLength } = await stat(file);
    const unreadable = new AbortController();
    const Body = createReadStream(file).on('error', (error) => unreadable.abort(error));
    const input = { Bucket, Key: keyOf(name), Body, ContentLength };
    const abortSignal = AbortSignal.any([signal, unreadable.signal]);
    try {
      await client.send(new sdk.PutObjectCommand(input), { abortSignal });
    } finally {
      Body.destroy();
    }
  }

  return {
    /**
     * Uploads a file and deletes the local copy. Retries here, because the SDK can't repeat a request with a stream.
     */
    async put(name, file, signal) {
      for (let attempt = 1; ; attempt += 1) {
        try {
          await upload(name, file, signal);
          return await rm(file);
        } catch (error) {
          if (attempt === maxAttempts || isPermanent(error)) throw error;
          await sleep(retryDelayMs(attempt), signal);
          if (signal.aborted) throw error;
        }
      }
    },

    async read(name) {
      const { sdk, client } = await open();
      // Limit only the time until the response begins, because reading all of it can take longer.
      const late = new AbortController();
      const timer = setTimeout(() => late.abort(), requestMs);
      try {
        const request = new sdk.GetObjectCommand({ Bucket, Key: keyOf(name) });
        const { Body } = await client.send(request, { abortSignal: late.signal });
        return Body as Readable | undefined;
      } catch (error) {
        if (error instanceof sdk.NoSuchKey) return undefined;
        throw error;
      } finally {
        clearTimeout(timer);
      }
    },

    async delete(name) {
      const { sdk, client } = await open();
      const abortSignal = AbortSignal.timeout(requestMs);
      await client.send(new sdk.DeleteObjectCommand({ Bucket, Key: keyOf(name) }), { abortSignal });
    },

    async prune(maxAgeMs, signal) {
      const { sdk, client } = await open();
      const options = () => ({
        abortSignal: AbortSignal.any([signal, AbortSignal.timeout(requestMs)]),
      });
      const before = Date.now() - maxAgeMs;
      let deleted = 0;
      let ContinuationToken: string | undefined;
      do {
        const page = await client.send(
          new sdk.ListObjectsV2Command({ Bucket, Prefix: prefix, ContinuationToken }),
          options(),
        );
        for (const { Key = '', LastModified } of page.Contents ?? []) {
          if (!LastModified || LastModified.getTime() >= before) continue;
          if (!isContentName.test(Key.slice(prefix.length))) continue;
          await client.send(new sdk.DeleteObjectCommand({ Bucket, Key }), options());
          deleted += 1;
        }
        ContinuationToken = page.NextContinuationToken;
      } while (ContinuationToken !== undefined);
      return deleted;
    },
  };
}

/** Returns true if a retry would fail in the same way. */
function isPermanent(error: unknown): boolean {
  const { $metadata: { httpStatusCode: status = 0 } = {} } = error as {
    $metadata?: { httpStatusCode?: number };
  };
  return status >= 400 && status < 500 && status !== 408 && status !== 429;
}
