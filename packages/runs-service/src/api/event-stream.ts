import type { Logger } from 'base/logger';
import type { Context } from 'hono';
import { streamSSE } from 'hono/streaming';
import { ApiProblem } from './problem.ts';

/** Time between heartbeats in ms, because proxies close silent connections. */
export const heartbeatMs = 5_000;
const heartbeat = ': alive\n\n';

type EventStream = {
  /**
   * Yields texts until `gone` aborts because the reader left. Yields an empty text at least once a second, so that
   * heartbeats can be sent.
   */
  texts: (gone: AbortSignal) => AsyncIterable<string>;
  onEnd: () => void;
  logger: Logger;
};

/** Tells proxies not to buffer the response. Call it before anything is sent. */
export const forbidBuffering = (context: Context) => context.header('x-accel-buffering', 'no');

/** Responds with a stream of server-sent events. Sends heartbeats while there are no events. */
export function streamEvents(context: Context, { texts, onEnd, logger }: EventStream): Response {
  forbidBuffering(context);
  return streamSSE(context, async (stream) => {
    const gone = new AbortController();
    stream.onAbort(() => gone.abort());
    let writtenAt = performance.now();
    try {
      for await (const text of texts(gone.signal)) {
        if (text === '' && performance.now() - writtenAt < heartbeatMs) continue;
        await stream.write(text || heartbeat);
        writtenAt = performance.now();
      }
    } catch (error) {
      logger.error({ err: error }, 'an event stream was ended');
    } finally {
      onEnd();
    }
  });
}

/**
 * Formats a server-sent event.
 * @param data text without line breaks, such as JSON
 */
export const formatEvent = (event: string, id: number | string, data: string): string =>
  `event: ${event}\nid: ${id}\ndata: ${data}\n\n`;

type StreamLimitOptions = {
  each: number;
  inTotal: number;
  /** Error message for someone who opens too many streams. */
  message: string;
};

/** Creates a limit for the open event streams of this process, because each stream costs database reads. */
export function createStreamLimit({ each, inTotal, message }: StreamLimitOptions) {
  const open = new Map<string, number>();
  let total = 0;
  return {
    /**
     * Counts one more stream of this key.
     * @throws ApiProblem if there are too many streams, of this key or in total
     */
    enter(key: string): void {
      const count = open.get(key) ?? 0;
      if (count >= each || total >= inTotal)
        throw new ApiProblem('rate_limited', message, { 'retry-after': '30' });
      open.set(key, count + 1);
      total += 1;
    },

    leave(key: string): void {
      const count = (open.get(key) ?? 1) - 1;
      if (count === 0) open.delete(key);
      else open.set(key, count);
      total -= 1;
    },
  };
}
