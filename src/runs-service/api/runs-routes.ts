import { type Context, Hono } from 'hono';
import type { AgentProgress, CreateRunResponse, ListRunsResponse, Run } from 'runs-client/contract';
import type { ServiceRunProgress } from '../../store/service/service-run-progress.ts';
import type { ServiceRunQueue } from '../../store/service/service-run-queue.ts';
import type { ServiceRun, ServiceRuns } from '../../store/service/service-runs.ts';
import type { ServiceEnvironment } from '../environments/environments.ts';
import type { CallerVariables } from './authentication.ts';
import { createRun } from './create-run.ts';
import type { KeyOwner } from './keyring.ts';
import { presentRun } from './present-run.ts';
import { ApiProblem } from './problem.ts';
import { createProgressReader } from './progress-reader.ts';
import { readJson } from './read-json.ts';
import { readListQuery, writeCursor } from './read-list-query.ts';
import type { RunControl } from './run-control.ts';
import type { VisibleRuns } from './visible-runs.ts';

export type RunsRoutesOptions = {
  runs: ServiceRuns;
  queue: ServiceRunQueue;
  progress: ServiceRunProgress;
  visibleRuns: VisibleRuns;
  control: RunControl;
  environments: () => readonly ServiceEnvironment[];
  sessionLink: (run: ServiceRun) => string;
};

type Caller = { Variables: CallerVariables };

export function createRunsRoutes(options: RunsRoutesOptions): Hono<Caller> {
  const { queue, control, visibleRuns } = options;
  const app = new Hono<Caller>();

  const position = async ({ state, created_at }: ServiceRun) =>
    state === 'QUEUED' ? { runsAhead: await queue.countQueuedBefore(created_at) } : {};
  const readProgress = createProgressReader(options.progress);
  const present = async (
    run: ServiceRun,
    reader: KeyOwner,
    progress: AgentProgress | undefined,
  ): Promise<Run> => {
    const sessionLink = options.sessionLink(run);
    return presentRun(run, { reader, sessionLink, progress, ...(await position(run)) });
  };
  const presentOne = async (run: ServiceRun, reader: KeyOwner) =>
    present(run, reader, await readProgress.of(run.id));
  const find = (context: Context<Caller, '/agent/runs/:id'>) =>
    visibleRuns.get(context.get('caller'), context.req.param('id'));

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
    const caller = context.get('caller');
    const page = await visibleRuns.list(caller, query);
    const progress = await readProgress.briefOf(page.runs.map(({ id }) => id));
    const answer: ListRunsResponse = {
      runs: await Promise.all(page.runs.map((run) => present(run, caller, progress.get(run.id)))),
      page_info: {
        has_next_page: page.next !== undefined,
        ...(page.next && { next_cursor: writeCursor(page.next, query) }),
      },
    };
    return context.json(answer);
  });

  app.get('/agent/runs/:id', async (context) =>
    context.json(await presentOne(await find(context), context.get('caller'))),
  );

  app.post('/agent/runs/:id/cancel', async (context) => {
    const run = await find(context);
    await control.cancel(run.id);
    return context.json(run.id);
  });

  app.post('/agent/runs/:id/session-link/revoke', async (context) => {
    const run = await find(context);
    const changed = (await control.replaceSessionLink(run.id)) ?? run;
    return context.json(await presentOne(changed, context.get('caller')));
  });

  app.post('/agent/runs/:id/followups', async (context) => {
    const run = await find(context);
    const key = readIdempotencyKey(context) ?? null;
    const caller = context.get('caller');
    await control.followUp(run.id, caller, await readJson(context.req.raw), key);
    return context.json({ run_id: run.id });
  });

  app.post('/agent/runs/:id/answers', async (context) => {
    const run = await find(context);
    const key = readIdempotencyKey(context) ?? null;
    await control.answer(run.id, context.get('caller'), await readJson(context.req.raw), key);
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
