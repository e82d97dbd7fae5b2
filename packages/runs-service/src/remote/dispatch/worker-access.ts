import type { Context, MiddlewareHandler } from 'hono';
import { isTerminalState } from 'runs-client/contract';
import type { ChangeFeed } from '../../api/change-feed.ts';
import { createStreamLimit } from '../../api/event-stream.ts';
import { keyIn } from '../../api/keys/authentication.ts';
import { keyHash } from '../../api/keys/keyring.ts';
import { createRateLimit } from '../../api/keys/rate-limit.ts';
import { ApiProblem } from '../../api/problem.ts';
import type { ServiceEnvironment } from '../../environments/environments.ts';
import type { Dispatches, StoredDispatch } from '../../store/dispatches.ts';
import type { Runs, StoredRun } from '../../store/runs.ts';
import { workerHeader } from '../protocol.ts';

export type WorkerVariables = {
  run: StoredRun;
  dispatch: StoredDispatch;
  worker: string;
  attemptToken: string;
};
export type WorkerContext = Context<{ Variables: WorkerVariables }>;
/**
 * Returns the environment of a run.
 * @throws ApiProblem if the environment doesn't exist anymore
 */
export type FindEnvironment = (run: StoredRun) => ServiceEnvironment;

const isWorkerId = /^[\w-]{8,64}$/;
/**
 * Min time between two writes of the time of a run's last report, in ms. Writing it for each chunk of output would be
 * too much.
 */
const reportNoteMs = 5_000;
/**
 * Max requests of a run per minute. `run-one` usually sends a few requests per second, and many while it sends files.
 */
const requestsPerMinute = 1_200;
/**
 * Limits for the open requests of a run. They're low, because a request can have a body of 8 MiB and can wait for a
 * minute.
 */
const atOnce = {
  each: 8,
  inTotal: Number.POSITIVE_INFINITY,
  message: 'The process of this run sends too much at once. Wait for answers first.',
};

/**
 * Creates a check that admits `run-one` with the token of its run, and only the first process that uses the token. A
 * token opens one run, and only until its end.
 */
export function createWorkerAccess({
  runs,
  dispatches,
}: {
  runs: Pick<Runs, 'get'>;
  dispatches: Pick<Dispatches, 'of' | 'claim' | 'noteReport'>;
}) {
  const invalidToken = () =>
    new ApiProblem(
      'authentication_required',
      'This token gives access to no run here, or no longer does.',
    );
  const rate = createRateLimit({ requestsPerMinute });
  const open = createStreamLimit(atOnce);

  const access: MiddlewareHandler<{ Variables: WorkerVariables }> = async (context, next) => {
    const runId = context.req.param('run') ?? '';
    const attemptToken = keyIn(context) ?? '';
    const tokenHash = keyHash(attemptToken);
    const worker = context.req.header(workerHeader) ?? '';
    if (runId.includes('\0') || !isWorkerId.test(worker)) throw invalidToken();
    const [[found], run] = await Promise.all([dispatches.of([runId]), runs.get(runId)]);
    if (!run || found?.token_hash !== tokenHash) throw invalidToken();
    const isMine = found.worker === worker || (await dispatches.claim(runId, tokenHash, worker));
    if (!isMine) throw new ApiProblem('not_authorized', 'Another process executes this run.');
    const isOver = isTerminalState(run.state) || found.end_json !== null;
    // Accept a repeated report of the end, because the reply to the first one may have been lost.
    if (isOver && !(found.end_json !== null && context.req.path.endsWith('/end')))
      throw new ApiProblem('already_ended', 'The run has ended.');
    rate.take(runId, 'The process of this run');
    open.enter(runId);
    try {
      if (Date.now() - (found.reported_at ?? 0) > reportNoteMs)
        await dispatches.noteReport(runId, worker);
      context.set('run', run);
      context.set('worker', worker);
      context.set('attemptToken', attemptToken);
      context.set('dispatch', { ...found, worker });
      await next();
    } finally {
      open.leave(runId);
    }
  };
  return access;
}

/** Dependencies of a request that waits for a change of its run. */
export type Waiting = { feed: ChangeFeed; stopping: AbortSignal };

/**
 * Repeats a read until it returns an answer. Reads at once, after each change of the run, and a last time after
 * `maxMs`. Stops early if the caller disconnects or the service stops.
 */
export async function readUntil<T>(
  read: () => Promise<T>,
  isAnswer: (found: T) => boolean,
  { context, maxMs, waiting }: { context: WorkerContext; maxMs: number; waiting: Waiting },
): Promise<T> {
  const signal = AbortSignal.any([context.req.raw.signal, waiting.stopping]);
  const first = await read();
  if (isAnswer(first) || maxMs <= 0 || signal.aborted) return first;
  const { id: runId } = context.get('run');
  const changes = waiting.feed.follow({
    from: undefined,
    sees: ({ id }) => id === runId,
    waitMs: maxMs,
    signal: AbortSignal.any([signal, AbortSignal.timeout(maxMs)]),
    onTooSlow: () => undefined,
  });
  for await (const _ of changes) {
    const found = await read();
    if (isAnswer(found)) return found;
  }
  return read();
}
