import { type Context, Hono } from 'hono';
import type { AgentProgress, CreateRunResponse, ListRunsResponse, Run } from 'runs-client/contract';
import type { ServiceEnvironment } from '../../environments/environments.ts';
import type { ModelCalls } from '../../store/model-calls.ts';
import type { QueueStore } from '../../store/queued-runs.ts';
import type { Runs, StoredRun } from '../../store/runs.ts';
import type { CallerVariables } from '../keys/authentication.ts';
import type { KeyOwner } from '../keys/keyring.ts';
import { ApiProblem } from '../problem.ts';
import { readJson } from '../read-request.ts';
import { createRun } from './new-run.ts';
import { presentRun } from './present-run.ts';
import { readListQuery, writeCursor } from './read-list-query.ts';
import type { RunControl } from './run-control.ts';
import type { ProgressReader, ReadResults } from './run-results.ts';
import type { VisibleRuns } from './visible-runs.ts';

type Caller = { Variables: CallerVariables };

export function createRunsRoutes({
  runs,
  modelCalls,
  queue,
  visibleRuns,
  readProgress,
  readResults,
  environments,
  control,
  sessionLink,
}: {
  runs: Runs;
  modelCalls: ModelCalls;
  queue: QueueStore;
  visibleRuns: VisibleRuns;
  readProgress: ProgressReader;
  readResults: ReadResults;
  environments: () => readonly ServiceEnvironment[];
  control: RunControl;
  sessionLink: (run: StoredRun) => string;
}): Hono<Caller> {
  const app = new Hono<Caller>();

  const presentAll = async (
    page: readonly StoredRun[],
    reader: KeyOwner,
    progressOf: (run: StoredRun) => AgentProgress | undefined,
  ): Promise<Run[]> => {
    const queued = page.filter(({ state }) => state === 'QUEUED');
    const [resultsOf, ahead] = await Promise.all([
      readResults(page),
      queue.countAhead(queued.map(({ id }) => id)),
    ]);
    return page.map((run) =>
      presentRun(run, {
        reader,
        sessionLink: sessionLink(run),
        results: resultsOf(run),
        runsAhead: ahead.get(run.id),
        progress: progressOf(run),
      }),
    );
  };
  const present = async (context: Context<Caller>, run: StoredRun): Promise<Response> => {
    const progress = await readProgress.of(run);
    return context.json((await presentAll([run], context.get('caller'), () => progress))[0]);
  };
  const find = (context: Context<Caller, '/agent/runs/:id'>) =>
    visibleRuns.get(context.get('caller'), context.req.param('id'));

  async function create(context: Context<Caller>): Promise<Response> {
    const body = await readJson(context.req.raw);
    const key = readIdempotencyKey(context);
    const run = await createRun(
      { runs, modelCalls, visibleRuns, environments },
      context.get('caller'),
      body,
      key,
    );
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
    const progress = await readProgress.briefOf(page.runs);
    const answer: ListRunsResponse = {
      runs: await presentAll(page.runs, caller, ({ id }) => progress.get(id)),
      page_info: {
        has_next_page: page.next !== undefined,
        ...(page.next && { next_cursor: writeCursor(page.next, query) }),
      },
    };
    return context.json(answer);
  });

  app.get('/agent/runs/:id', async (context) => present(context, await find(context)));

  app.post('/agent/runs/:id/cancel', async (context) => {
    const run = await find(context);
    await control.cancel(run.id);
    return context.json(run.id);
  });

  app.post('/agent/runs/:id/session-link/revoke', async (context) => {
    const run = await find(context);
    const changed = (await control.replaceSessionLink(run.id)) ?? run;
    return present(context, changed);
  });

  const askFor = { publish: control.publish, 'pull-request': control.actOnPullRequest };
  for (const [what, ask] of Object.entries(askFor))
    app.post(`/agent/runs/:id/${what}`, async (context) => {
      const run = await find(context);
      await ask(run, await readJson(context.req.raw));
      return present(context, run);
    });

  const messageRoutes = { followups: control.followUp, answers: control.answer };
  for (const [what, send] of Object.entries(messageRoutes))
    app.post(`/agent/runs/:id/${what}`, async (context) => {
      const run = await find(context);
      const key = readIdempotencyKey(context) ?? null;
      await send(run, context.get('caller'), await readJson(context.req.raw), key);
      return context.json({ run_id: run.id });
    });
  return app;
}

/** Max characters of an idempotency key, because PostgreSQL can index only about 2,700 bytes. */
const maxKeyCharacters = 500;

/** Reads the key of a request that can be repeated. */
export function readIdempotencyKey(context: Context): string | undefined {
  const key = context.req.header('idempotency-key');
  if (key === undefined || key.length <= maxKeyCharacters) return key;
  throw new ApiProblem(
    'invalid_request',
    `Idempotency-Key: is longer than ${maxKeyCharacters} characters`,
  );
}
