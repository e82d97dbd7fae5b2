import { checkDatabase, checkLoop, readReadiness } from 'base/http/readiness';
import { Hono } from 'hono';

type Parts = {
  /** Rejects if the database doesn't answer. */
  ping(): Promise<void>;
  queue: { readonly askedAt: number };
};

/** `GET /readyz`: 200 if runs can be taken and executed, else 503 with the reasons. */
export function createReadyRoutes({ ping, queue }: Parts): Hono {
  const routes = new Hono();
  const readProblems = async () => [
    ...(await checkDatabase(ping)),
    ...checkLoop('the queue of runs', queue.askedAt),
  ];
  routes.get('/readyz', async () => {
    const { status, text } = await readReadiness(readProblems);
    return new Response(text, { status });
  });
  return routes;
}
