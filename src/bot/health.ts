import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { requestLimits } from 'base/http/http-limits';
import { closeNow, listenOn } from 'base/http/http-server';
import { checkDatabase, checkLoop, type ReadProblems, readReadiness } from 'base/http/readiness';
import type { Lifecycle } from 'base/process/run-until-signaled';

export type Health = Lifecycle & {
  /** Reports this reason why the process isn't ready, until `started` is called or another reason is set. */
  waitFor(what: string): void;
  started(readProblems: ReadProblems): void;
  /**
   * Answers `/healthz` and `/readyz`.
   * @returns false for other requests, which stay unanswered
   */
  answer(request: IncomingMessage, response: ServerResponse): boolean;
  /** HTTP server of the health port. In HTTP mode, Slack's deliveries arrive there as well. */
  readonly server: Server;
  /** Sets the function that serves other pages on this port. */
  servePages(serve: ServePages): void;
};

/** Answers a request for one of the served pages. Returns false for all other requests. */
type ServePages = (request: IncomingMessage, response: ServerResponse) => Promise<boolean>;

/**
 * Serves `GET /healthz` and `GET /readyz`. `/healthz` returns 200 while the process runs. `/readyz` returns 200, or 503
 * with the reasons why the bot isn't ready. Slack's deliveries get a 503 until the bot accepts them, so that Slack
 * repeats them.
 */
export function createHealth({ host, port }: { host: string; port: number }): Health {
  let readProblems: ReadProblems = async () => ['starting'];

  function answer({ method, url = '' }: IncomingMessage, response: ServerResponse): boolean {
    const [path] = url.split('?');
    if (method !== 'GET' || (path !== '/healthz' && path !== '/readyz')) return false;
    if (path === '/healthz') response.end('ok\n');
    else
      void readReadiness(readProblems).then(({ status, text }) => {
        response.writeHead(status).end(text);
      });
    return true;
  }

  let pages: ServePages = async () => false;

  async function answerOther(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (await pages(request, response)) return;
    const { status, text } = await readReadiness(readProblems);
    if (status === 200) response.writeHead(404).end();
    else response.writeHead(status).end(text);
  }

  const server = createServer(requestLimits, (request, response) => {
    if (answer(request, response)) return;
    answerOther(request, response).catch(() => response.destroy());
  });
  return {
    server,
    answer,
    waitFor(what) {
      readProblems = async () => [what];
    },
    started(read) {
      readProblems = read;
    },
    servePages(serve) {
      pages = serve;
    },
    start: () => listenOn(server, { host, port }),
    stop: () => closeNow(server),
  };
}

type HealthDeps = {
  backlog: { ping(): Promise<void> };
  slack: { isConnected(): boolean };
  follower: { readonly askedAt: number };
};

/**
 * Returns the problems that make the bot not ready. An unavailable runs API isn't such a problem, because the bot still
 * accepts requests and tells people that they wait.
 */
export const readBotProblems = async ({ backlog, slack, follower }: HealthDeps) => [
  ...(await checkDatabase(backlog.ping)),
  ...(slack.isConnected() ? [] : ['no connection to Slack']),
  ...checkLoop('the follower', follower.askedAt),
];
