import { SlackUnreachable } from '../posting/slack-failure.ts';

/**
 * Reads the whole body, so that a connection that breaks halfway fails the request: the client doesn't handle errors when
 * it reads the body. Failures get their own type, because `fetch` throws a TypeError, like a bug would.
 * @param stopping aborts all calls. No `AbortSignal.any`: a signal that outlives the calls keeps a reference to each
 */
export function createSlackFetch(stopping?: AbortSignal): typeof fetch {
  const running = new Set<AbortController>();
  stopping?.addEventListener('abort', () => {
    for (const call of running) call.abort(stopping.reason);
  });

  return async (input, init) => {
    stopping?.throwIfAborted();
    const call = new AbortController();
    const ended = init?.signal;
    const end = () => call.abort(ended?.reason);
    ended?.addEventListener('abort', end, { once: true });
    running.add(call);
    try {
      const answer = await fetch(input, { ...init, signal: call.signal });
      const { status, statusText, headers } = answer;
      return new Response(await answer.arrayBuffer(), { status, statusText, headers });
    } catch (cause) {
      throw new SlackUnreachable(cause);
    } finally {
      running.delete(call);
      ended?.removeEventListener('abort', end);
    }
  };
}
