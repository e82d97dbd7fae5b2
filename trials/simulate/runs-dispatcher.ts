import type { RunsClientOptions } from 'runs-client';
import type { Network } from './network.ts';
import { isoTime, type ModelRun, type RunsModel } from './runs-model.ts';
import type { Scheduler } from './scheduler.ts';

type Dispatcher = NonNullable<RunsClientOptions['dispatcher']>;
type Handler = Parameters<Dispatcher['dispatch']>[1];
type Controller = Parameters<NonNullable<Handler['onRequestStart']>>[0];
type Json = Record<string, unknown>;

const openMs = 5;
const eventMs = 20;
const beatEveryMs = 5_000;

const targetOf = (method: string, path: string): string => {
  const verb = /\/agent\/runs\/[^/?]+\/([\w-]+)$/.exec(path)?.[1];
  if (verb) return verb;
  if (method === 'POST') return 'create';
  return /\/agent\/runs\/[^/?]+$/.test(path) ? 'get' : 'list';
};

/** Creates the dispatcher of a bot's runs client. */
export function createRunsDispatcher(
  model: RunsModel,
  network: Network,
  { scheduler, hasEvents }: { scheduler: Scheduler; hasEvents: boolean },
): Dispatcher {
  function dispatch(options: Parameters<Dispatcher['dispatch']>[0], handler: Handler): boolean {
    let isOver = false;
    const end = () => {
      isOver = true;
    };
    const none = () => undefined;
    const controller = { abort: end, pause: none, resume: none } as unknown as Controller;
    const unlessOver = (run: () => void) => () => {
      if (!isOver) run();
    };
    const answer = (status: number, headers: Record<string, string>, body: string) => {
      handler.onResponseStart?.(controller, status, headers, '');
      handler.onResponseData?.(controller, Buffer.from(body));
      handler.onResponseEnd?.(controller, {});
    };
    handler.onRequestStart?.(controller, {});
    const { method, body } = options;
    const url = new URL(`https://runs.test${options.path}`);
    if (url.pathname.endsWith('/runs/events')) {
      const owner = scheduler.current;
      const open = hasEvents ? streamTo : () => answer(404, {}, '{}');
      scheduler.in(openMs, owner, unlessOver(open));
      return true;
    }
    const given: Json = body ? JSON.parse(String(body)) : {};
    if (typeof given['message'] === 'string') model.noteSent(given['message']);
    const headers = options.headers as string[];
    const key = headers[headers.indexOf('idempotency-key') + 1] ?? '';
    network.send({
      target: `runs ${targetOf(method, url.pathname)}`,
      about: url.pathname.replace('/api/v1/agent', ''),
      apply: () => model.answer(method, url, given, key),
      stale: () => model.answer(method, url, given, key, method === 'GET'),
      answered: ({ status, headers: sent, body: text }) =>
        unlessOver(() => answer(status, sent, text))(),
      lost: unlessOver(() => {
        const cause = Object.assign(new Error('closed'), { code: 'UND_ERR_SOCKET' });
        handler.onResponseError?.(controller, cause);
      }),
    });
    return true;

    /** Streams changes of runs as server-sent events, with a sign of life every few seconds. */
    function streamTo(): void {
      const owner = scheduler.current;
      const send = (text: string) => handler.onResponseData?.(controller, Buffer.from(text));
      const listen = ({ id, state, updatedAtMs }: ModelRun) => {
        const change = { run_id: id, state, updated_at: isoTime(updatedAtMs) };
        const text = `event: change\ndata: ${JSON.stringify(change)}\n\n`;
        scheduler.in(
          eventMs,
          owner,
          unlessOver(() => send(text)),
        );
      };
      const beat = () => {
        if (isOver) {
          model.listeners.delete(listen);
          return;
        }
        send(': \n\n');
        scheduler.in(beatEveryMs, owner, beat);
      };
      model.listeners.add(listen);
      const type = { 'content-type': 'text/event-stream' };
      handler.onResponseStart?.(controller, 200, type, '');
      beat();
    }
  }
  return { dispatch } as unknown as Dispatcher;
}
