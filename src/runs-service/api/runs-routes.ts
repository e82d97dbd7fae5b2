import { type Context, Hono } from 'hono';
import type { CreateRunResponse, ListRunsResponse, Run } from 'runs-client/contract';
import type { ServiceRunPage } from '../../store/service/service-run-list.ts';
import type { ServiceRunListQuery } from '../../store/service/service-run-query.ts';
import type { ServiceRunQueue } from '../../store/service/service-run-queue.ts';
import type { ServiceRun, ServiceRuns } from '../../store/service/service-runs.ts';
import type { ServiceEnvironment } from '../environments/environments.ts';
import type { CallerVariables } from './authentication.ts';
import { createRun } from './create-run.ts';
import { presentRun } from './present-run.ts';
import { ApiProblem } from './problem.ts';
import { readJson } from './read-json.ts';
import { readListQuery, writeCursor } from './read-list-query.ts';
import type { RunControl } from './run-control.ts';

export type RunsRoutesOptions = {
  runs: ServiceRuns;
  queue: ServiceRunQueue;
  listRuns: (query: ServiceRunListQuery) => Promise<ServiceRunPage>;
  control: RunControl;
  environments: () => readonly ServiceEnvironment[];
  sessionLink: (run: ServiceRun) => string;
};

type Caller = { Variables: CallerVariables };

export function createRunsRoutes(options: RunsRoutesOptions): Hono<Caller> {
  const { runs, queue, control } = options;
  const app = new Hono<Caller>();

  const position = async ({ state, created_at }: ServiceRun) =>
    state === 'QUEUED' ? { runsAhead: await queue.countQueuedBefore(created_at) } : {};
  const present = async (run: ServiceRun): Promise<Run> =>
    presentRun(run, { sessionLink: options.sessionLink(run), ...(await position(run)) });

  async function find(id: string): Promise<ServiceRun> {
    const run = await runs.get(id);
    if (!run)
      throw new ApiProblem('resource_not_found', `Run "${id.slice(0, 100)}" doesn't exist.`);
    return run;
  }

  async function create(context: Context<Caller>): Promise<Response> {
    const body = await readJson(context.req.raw);
    const key = readIdempotencyKey(context);
    const run = await createRun(options, context.get('caller'), body, key);
    control.wake();
    const answer: CreateRunResponse = { run_id: run.id, state: run.state, task_id: run.id };
    return context.json(answer);
  }
  app.post('/agent/run', create);
  app.post('/agent/runs', create);

  app.get('/agent/runs', async (context) => {
    const query = readListQuery(new URL(context.req.url).searchParams);
    const page = await options.listRuns(query);
    const answer: ListRunsResponse = {
      runs: await Promise.all(page.runs.map(present)),
      page_info: {
        has_next_page: page.next !== undefined,
        ...(page.next && { next_cursor: writeCursor(page.next, query) }),
      },
    };
    return context.json(answer);
  });

  app.get('/agent/runs/:id', async (context) =>
    context.json(await present(await find(context.req.param('id')))),
  );

  app.post('/agent/runs/:id/cancel', async (context) => {
    const run = await find(context.req.param('id'));
    await control.cancel(run.id);
    return context.json(run.id);
  });

  app.post('/agent/runs/:id/followups', async (context) => {
    const run = await find(context.req.param('id'));
    const key = readIdempotencyKey(context) ?? null;
    await control.followUp(run.id, await readJson(context.req.raw), key);
    return context.json({ run_id: run.id });
  });
  return app;
}

/** Keys are indexed, which PostgreSQL limits to about 2,700 bytes. */
const maxKeyCharacters = 500;

function readIdempotencyKey(context: Context): string | undefined {
  const key = context.req.header('idempotency-key');
  if (key === undefined || key.length <= maxKeyCharacters) return key;
  throw new ApiProblem(
    'invalid_request',
    `Idempotency-Key: is longer than ${maxKeyCharacters} characters`,
  );
}
