import type { ServerResponse } from 'node:http';
import { sleep } from 'base/sleep';
import { keepAliveOf } from './rejections.ts';
import type { Flavor } from './routes.ts';

/** Time between two keep-alives, in ms. Claude Code accepts at most 30 in a row, so they can't be more frequent. */
export const keepAliveMs = 30_000;

/**
 * Starts a streaming response before the provider does, because the program would otherwise send its call again. The
 * headers come as late as possible, because until then a rejection has a status that every program understands.
 */
export class EarlyStream {
  readonly #stop = new AbortController();
  readonly #late = new AbortController();
  readonly #response: ServerResponse;

  /** @param flavor format of the stream. Undefined for a call without a stream, which can only be rejected */
  constructor(
    response: ServerResponse,
    flavor: Flavor | undefined,
    withinMs: number,
    everyMs = keepAliveMs,
  ) {
    this.#response = response;
    void this.#run(flavor, withinMs, everyMs);
  }

  /** Aborts when a call without a stream can't wait any longer for a person. */
  get late(): AbortSignal {
    return this.#late.signal;
  }

  /** Stops, because the response continues in another way. */
  stop(): void {
    this.#stop.abort();
  }

  async #run(flavor: Flavor | undefined, withinMs: number, everyMs: number): Promise<void> {
    const { signal } = this.#stop;
    await sleep(withinMs, signal);
    if (signal.aborted) return;
    if (flavor === undefined) return this.#late.abort();
    const headers = { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' };
    this.#response.writeHead(200, headers);
    for (let number = 0; !signal.aborted && !this.#response.destroyed; number += 1) {
      this.#response.write(keepAliveOf(flavor, number));
      await sleep(everyMs, signal);
    }
  }
}
