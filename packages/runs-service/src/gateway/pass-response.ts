import type { ServerResponse } from 'node:http';
import { type Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { keepAliveOf } from './rejections.ts';
import type { Flavor } from './routes.ts';
import type { UsageReader } from './usage/call-usage.ts';
import { createChatUsageFilter } from './usage/chat-usage-filter.ts';

const chunkBytes = 16 * 1024;

/** Streams that decode a response which is compressed although that wasn't requested. */
const decoders: Record<string, () => Transform> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/** Returns a decoder, `none` if the response isn't encoded, or undefined for an unknown encoding. */
export function decoderOf(encoding: unknown): Transform | 'none' | undefined {
  if (encoding === undefined || encoding === '' || encoding === 'identity') return 'none';
  if (typeof encoding !== 'string' || !Object.hasOwn(decoders, encoding)) return undefined;
  return decoders[encoding]?.();
}

/**
 * Passes a provider's response on while its usage is read. Keeps no more than a few chunks, however slowly the agent
 * reads.
 */
export async function passResponse(
  body: Readable,
  response: ServerResponse,
  {
    decoder,
    dropsUsage,
    keepAlive,
    reader,
    onBytes,
  }: {
    decoder: Transform | 'none';
    /** True to leave out the chunk of usage that the agent hasn't requested. */
    dropsUsage: boolean;
    /** Format and interval of keep-alives, for streams of events. */
    keepAlive: { flavor: Flavor; everyMs: number } | undefined;
    reader: Pick<UsageReader, 'push'>;
    onBytes: (bytes: number) => void;
  },
): Promise<void> {
  const meter = new Meter(keepAlive, (chunk) => {
    reader.push(chunk);
    onBytes(chunk.length);
  });
  await pipeline([
    body,
    ...(decoder === 'none' ? [] : [decoder]),
    meter,
    ...(dropsUsage ? [createChatUsageFilter()] : []),
    response,
  ]);
}

/** Reports the bytes of a stream of events, and adds keep-alives between two events while the provider is silent. */
class Meter extends Transform {
  readonly #onChunk: (chunk: Buffer) => void;
  readonly #timer: NodeJS.Timeout | undefined;
  #lastBytes = '\n\n';
  #number = 0;

  constructor(
    keepAlive: { flavor: Flavor; everyMs: number } | undefined,
    onChunk: (chunk: Buffer) => void,
  ) {
    super({ highWaterMark: chunkBytes });
    this.#onChunk = onChunk;
    if (keepAlive) {
      const { flavor, everyMs } = keepAlive;
      this.#timer = setTimeout(() => this.#keepAlive(flavor), everyMs);
    }
  }

  override _transform(
    chunk: Buffer,
    _encoding: string,
    done: (error: null, chunk: Buffer) => void,
  ) {
    this.#onChunk(chunk);
    this.#timer?.refresh();
    this.#lastBytes = (this.#lastBytes + chunk.subarray(-4).toString('latin1')).slice(-4);
    done(null, chunk);
  }

  override _flush(done: () => void): void {
    clearTimeout(this.#timer);
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    clearTimeout(this.#timer);
    done(error);
  }

  #keepAlive(flavor: Flavor): void {
    // In the middle of an event, a keep-alive would damage it. A reader that is slow needs none.
    if (/\r?\n\r?\n$/.test(this.#lastBytes) && this.readableLength === 0) {
      this.push(keepAliveOf(flavor, this.#number));
      this.#number += 1;
    }
    this.#timer?.refresh();
  }
}
