import { inSpan } from 'base/in-span';
import { SlackUnreachable } from '../../posting/slack-failure.ts';

/** Called after each Web API call. `answer` is Slack's response body, which is missing if there was no response. */
export type OnSlackCall = (call: {
  method: string;
  outcome: 'ok' | 'rejected' | 'rate_limited' | 'failed';
  ms: number;
  sent: RequestInit['body'];
  answer?: ArrayBuffer;
}) => void;

/**
 * Creates a `fetch` that reads the whole body, because the client doesn't handle a connection that breaks halfway.
 * Throws failures as `SlackUnreachable`, because a TypeError from `fetch` would look like a bug.
 * @param stopping signal that aborts all calls. `AbortSignal.any` isn't used, because it leaks with a signal that
 * outlives the calls
 */
export function createSlackFetch(stopping?: AbortSignal, onSlackCall?: OnSlackCall): typeof fetch {
  const running = new Set<AbortController>();
  stopping?.addEventListener('abort', () => {
    for (const call of running) call.abort(stopping.reason);
  });

  const call: typeof fetch = async (input, init) => {
    stopping?.throwIfAborted();
    const calling = new AbortController();
    const ended = init?.signal;
    const end = () => calling.abort(ended?.reason);
    ended?.addEventListener('abort', end, { once: true });
    running.add(calling);
    const beganAt = performance.now();
    const report = (outcome: Parameters<OnSlackCall>[0]['outcome'], answer?: ArrayBuffer) =>
      onSlackCall?.({
        method: methodOf(input),
        outcome,
        ms: performance.now() - beganAt,
        sent: init?.body,
        ...(answer && { answer }),
      });
    try {
      const answer = await fetch(input, { ...init, signal: calling.signal });
      const { status, statusText, headers } = answer;
      const body = await answer.arrayBuffer();
      // Reject web pages as responses of a `response_url`, because nothing reads their body later. The client itself
      // detects pages in other responses.
      if (methodOf(input) === other && isPage(body)) throw new Error('answered with a web page');
      report(outcomeOf(status, body), body);
      return new Response(body, { status, statusText, headers });
    } catch (cause) {
      report('failed');
      throw new SlackUnreachable(cause);
    } finally {
      running.delete(calling);
      ended?.removeEventListener('abort', end);
    }
  };
  return (input, init) => inSpan(`slack ${methodOf(input)}`, {}, () => call(input, init));
}

const other = 'other';

/**
 * Returns the called method, such as `chat.postMessage`. Returns `other` for addresses outside the Web API, because
 * they contain tokens.
 */
export const methodOf = (input: Parameters<typeof fetch>[0]): string =>
  /\/api\/([a-z.]+)(\?|$)/i.exec(input instanceof Request ? input.url : String(input))?.[1] ??
  other;

/** Returns true if the body is a web page, such as a proxy's error page. */
const isPage = (body: ArrayBuffer): boolean =>
  /^\s*<(?:!doctype|html)/i.test(Buffer.from(body, 0, Math.min(body.byteLength, 100)).toString());

function outcomeOf(status: number, body: ArrayBuffer) {
  if (status === 429) return 'rate_limited';
  if (status >= 300) return 'failed';
  // Read only the start of the body, because parsing all of it takes longer. The client parses it anyway.
  const start = Buffer.from(body, 0, Math.min(body.byteLength, 20)).toString('latin1');
  return /^\s*\{\s*"ok"\s*:\s*false/.test(start) ? 'rejected' : 'ok';
}
