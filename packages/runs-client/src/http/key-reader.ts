import { RunsApiError } from '../runs-api-error.ts';
import { sleep } from '../sleep.ts';

export type ApiKey = string | (() => string | Promise<string>);

/**
 * Returns the API key before every attempt, so that a new key is used immediately. Returns no promise if the key is a
 * plain text.
 */
export type KeyReader = (
  deadlineMs: number,
  signal: AbortSignal | undefined,
) => string | Promise<string>;

export function createKeyReader(apiKey: ApiKey): KeyReader {
  if (typeof apiKey === 'string') {
    if (!isHeaderSafe(apiKey)) {
      throw new TypeError(
        'apiKey is empty or has a character that no key has, such as a line break',
      );
    }
    return () => apiKey;
  }
  return async (deadlineMs, signal) => {
    const over = new AbortController();
    const end = () => over.abort(signal?.reason);
    signal?.addEventListener('abort', end, { once: true });
    try {
      const late = sleep(deadlineMs - performance.now(), over.signal);
      const key = await Promise.race([apiKey(), late]);
      signal?.throwIfAborted();
      if (key === undefined) throw keyFailure('timeout', "didn't answer in time");
      if (!isHeaderSafe(key)) throw keyFailure('unauthorized', 'returned no usable key');
      return key;
    } catch (error) {
      if (error instanceof RunsApiError || signal?.aborted) throw error;
      throw keyFailure('unauthorized', 'failed', error);
    } finally {
      signal?.removeEventListener('abort', end);
      end();
    }
  };
}

function keyFailure(code: 'timeout' | 'unauthorized', what: string, cause?: unknown): RunsApiError {
  const message = `the apiKey function of the runs client ${what}; nothing was sent`;
  return new RunsApiError({ code, message, sent: false, cause });
}

function isHeaderSafe(key: string): boolean {
  return /^[\x21-\x7e]+$/.test(key);
}
