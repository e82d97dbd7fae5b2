import { signal } from '../../../packages/base/test/support/signal.ts';
import { sendJson, startApiServer } from '../../../packages/runs-client/test/support/api-server.ts';

type Answer = { status: number; body: object };
type IsIt = (path: string, method: string) => boolean;

/** Starts a proxy to a runs service that can answer calls itself. */
export async function startApiGate(target: string) {
  let instead: (path: string, method: string, authorization: string) => Answer | undefined = () =>
    undefined;
  let late: { isIt: IsIt; over: () => Promise<unknown>; reached: () => void } | undefined;
  const { baseUrl, received } = await startApiServer(async (response, request) => {
    const { method, url, headers, body } = request;
    const answered = instead(url, method, String(headers['authorization']));
    if (answered) return sendJson(response, answered.status, answered.body);
    // Streams aren't supported, because the proxy reads each answer as a whole. Clients then poll.
    if (url.endsWith('/agent/runs/events')) return sendJson(response, 404, {});
    const { authorization, 'idempotency-key': key } = headers;
    const answer = await fetch(new URL(target).origin + url, {
      method,
      headers: {
        'content-type': 'application/json',
        authorization: String(authorization),
        ...(key !== undefined && { 'idempotency-key': String(key) }),
      },
      ...(method !== 'GET' && { body: JSON.stringify(body) }),
    });
    const passed = await answer.json();
    if (late?.isIt(url, method)) {
      late.reached();
      await late.over();
    }
    sendJson(response, answer.status, passed);
  });

  return {
    baseUrl,
    received,
    /** Answers later calls with this function. Calls for which it returns undefined reach the service. */
    answer(otherwise: typeof instead): void {
      instead = otherwise;
    },
    /**
     * Delays the answers of matching calls until `release`. The calls take effect. `reached` resolves at the first one.
     */
    holdAnswers(isIt: IsIt) {
      const [released, release] = signal();
      const [reached, markReached] = signal();
      late = { isIt, over: () => released, reached: markReached };
      return { reached, release };
    },
    pass(): void {
      instead = () => undefined;
      late = undefined;
    },
    /** Hides all runs, as if the service lost its data. */
    forgetRuns(): void {
      instead = (path, method) => {
        if (method !== 'GET' || !path.includes('/agent/runs')) return undefined;
        if (/\/agent\/runs(\?|$)/.test(path))
          return { status: 200, body: { runs: [], page_info: { has_next_page: false } } };
        return { status: 404, body: { title: 'Not found', detail: 'There is no such run.' } };
      };
    },
  };
}
