import { sendJson, startApiServer } from '../../packages/runs-client/test/support/api-server.ts';

type Answer = { status: number; body: object };
type IsIt = (path: string, method: string) => boolean;

/** Stands before a runs service, and answers in its place when the test says so. */
export async function startApiGate(target: string) {
  let instead: (path: string, method: string) => Answer | undefined = () => undefined;
  let late: { isIt: IsIt; delayMs: number; reached: () => void } | undefined;
  const { baseUrl, received } = await startApiServer(async (response, request) => {
    const { method, url, headers, body } = request;
    const answered = instead(url, method);
    if (answered) return sendJson(response, answered.status, answered.body);
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
      await new Promise((resolve) => setTimeout(resolve, late?.delayMs).unref());
    }
    sendJson(response, answer.status, passed);
  });

  return {
    baseUrl,
    received,
    /** Calls get this answer from now on; those for which there is none pass. */
    answer(otherwise: typeof instead): void {
      instead = otherwise;
    },
    /** These calls take effect and are answered late; resolves when there is one. */
    delayAnswers: (isIt: IsIt, delayMs: number): Promise<void> =>
      new Promise((reached) => {
        late = { isIt, delayMs, reached };
      }),
    pass(): void {
      instead = () => undefined;
      late = undefined;
    },
    /** No run is known any more, neither by its id nor in lists, as when a service has lost its data. */
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
