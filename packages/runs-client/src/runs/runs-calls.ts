import type { ApiRequest, CallOptions } from '../call-options.ts';
import type {
  AnswerRequest,
  CreateRunRequest,
  ListRunsQuery,
  ListRunsResponse,
  Run,
} from '../contract.ts';
import { createCreateCall } from '../create/create-call.ts';
import { type CreateContext, type CreateOptions, createRunClaims } from '../create/create-run.ts';
import {
  type FindOptions,
  type FoundRun,
  findCreated,
  type RunsReader,
} from '../create/find-created.ts';
import type { CreateAttempt } from '../create-attempt.ts';
import { runPath } from '../http/address.ts';
import { ApiCall, type ApiCalls, type CallWays, infoOf } from '../http/api-calls.ts';
import type { Caller, Progress } from '../http/caller.ts';
import { ReplyTooLargeError } from '../http/exchange.ts';
import { readAcknowledgement, readData } from '../http/read-reply.ts';
import type { ServiceClock } from '../http/service-clock.ts';
import type { PublishRunRequest, PullRequestAction } from '../publication.ts';
import { RunsApiError } from '../runs-api-error.ts';
import { type EventsOptions, readRunEvents } from './run-events.ts';
import { RunsList } from './runs-page.ts';
import { type WaitOptions, waitForRun } from './wait-for-run.ts';

/** Result of an accepted call. Services use several formats, so the client returns only the run ID. */
export type Acknowledgement = { run_id: string };

type Limits = Pick<CreateContext, 'timeoutMs' | 'maxRetries' | 'settleMs' | 'isIdempotent'>;

/** Assumed page size of the service for a query without a limit. */
const serviceLimit = 20;

/** Creates the calls that read runs. */
function createReading(calls: ApiCalls, clock: ServiceClock) {
  const get = (runId: string, call?: CallOptions): ApiCall<Run> =>
    new ApiCall(
      calls.waysOf(
        () => ({ method: 'GET', path: runPath(runId) }),
        call,
        async (reply) => {
          const run = await readData(reply, async () => (await import('../contract.ts')).runSchema);
          clock.readRun(run);
          return run;
        },
      ),
    );

  /**
   * Fetches a page of runs. Halves the limit while a page is too large, because the cursor works with any page size.
   */
  function waysOfList(query: ListRunsQuery, call?: CallOptions): CallWays<ListRunsResponse> {
    const request: ApiRequest = { method: 'GET', path: '/agent/runs', query };
    const { data, raw } = calls.waysOf(request, call, async (reply) => {
      const page = await readData(
        reply,
        async () => (await import('../contract.ts')).listRunsResponseSchema,
      );
      for (const run of page.runs) clock.readRun(run);
      return page;
    });
    return {
      raw,
      data: () =>
        data().catch((error: unknown) => {
          const limit = Math.floor((query.limit ?? serviceLimit) / 2);
          const isTooLarge =
            error instanceof RunsApiError && error.cause instanceof ReplyTooLargeError;
          if (!isTooLarge || limit < 1) throw error;
          return waysOfList({ ...query, limit }, call).data();
        }),
    };
  }
  return { get, waysOfList };
}

/** Creates the methods of `client.runs`. */
export function createRunsCalls(
  caller: Caller,
  calls: ApiCalls,
  clock: ServiceClock,
  limits: Limits,
) {
  const { get, waysOfList } = createReading(calls, clock);
  const reader: RunsReader = {
    list: (query, call) => waysOfList(query, call).data(),
    get: (runId, call) => get(runId, call).withResponse(),
    clock,
  };

  async function cancel(runId: string, call: CallOptions | undefined) {
    const progress: Progress = { attempts: 0, mightHaveActed: false };
    const path = runPath(runId, '/cancel');
    try {
      const reply = await caller.send({ method: 'POST', path, repeatable: true }, call, progress);
      readAcknowledgement(reply);
      return { data: { run_id: runId }, ...infoOf(reply) };
    } catch (error) {
      // Treat a rejected cancel as a success if the run is canceled. The response to an earlier attempt may have
      // been lost.
      const isEcho = error instanceof RunsApiError && error.code === 'bad_request';
      if (!isEcho || !progress.mightHaveActed) throw error;
      const { data, ...info } = await get(runId, call).withResponse();
      if (data.state !== 'CANCELLED') throw error;
      return { data: { run_id: runId }, ...info };
    }
  }

  const acknowledged = (runId: string, end: string, body: object, call?: CallOptions) =>
    new ApiCall<Acknowledgement>(
      calls.waysOf(
        () => ({ method: 'POST', path: runPath(runId, end), body }),
        call,
        (reply) => {
          readAcknowledgement(reply);
          return { run_id: runId };
        },
      ),
    );

  const create = createCreateCall(caller, { ...limits, reader, claims: createRunClaims() });
  const wait = (runId: string, options: WaitOptions = {}): Promise<Run> =>
    waitForRun((call) => get(runId, call), options);

  return {
    /**
     * Creates exactly one run, even if responses are lost. Fails with `ambiguous` if the client can't find out whether
     * the run exists.
     */
    create,
    /**
     * Creates a run and waits until it ends. `timeoutMs` is for both together. After that time, the call fails, but the
     * run continues.
     */
    async createAndWait(
      request: CreateRunRequest,
      options: CreateOptions & WaitOptions = {},
    ): Promise<Run> {
      const { timeoutMs = Number.POSITIVE_INFINITY, ...others } = options;
      const deadlineMs = performance.now() + timeoutMs;
      const call = { ...others, timeoutMs: Math.min(timeoutMs, limits.timeoutMs) };
      const { run_id: runId } = await create(request, call);
      if (deadlineMs === Number.POSITIVE_INFINITY) return wait(runId, others);
      return wait(runId, { ...others, timeoutMs: Math.max(0, deadlineMs - performance.now()) });
    },
    get,
    /** Returns the time by the service's clock in epoch ms; undefined until a response shows it. */
    serviceNowMs: clock.nowMs,
    list: (query: ListRunsQuery = {}, call?: CallOptions) =>
      new RunsList(query, (page) => waysOfList(page, call)),
    /** Yields events about changes of all runs. An extension that services may lack; see the README. */
    events: (options: EventsOptions = {}) => readRunEvents(caller, options),
    cancel: (runId: string, call?: CallOptions): ApiCall<Acknowledgement> =>
      new ApiCall({
        data: () => cancel(runId, call),
        raw: async () => caller.open({ method: 'POST', path: runPath(runId, '/cancel') }, call),
      }),
    followUp: (runId: string, message: string, call?: CallOptions) =>
      acknowledged(runId, '/followups', { message }, call),
    /** Answers an agent's question. An extension that services may lack (`not_found`). */
    answer: (runId: string, answer: AnswerRequest, call?: CallOptions) =>
      acknowledged(runId, '/answers', answer, call),
    /** Publishes a run's changes. An extension that services may lack (`not_found`). */
    publish: (runId: string, request: PublishRunRequest, call?: CallOptions) =>
      acknowledged(runId, '/publish', request, call),
    /** Changes the run's pull request. An extension that services may lack (`not_found`). */
    changePullRequest: (runId: string, action: PullRequestAction, call?: CallOptions) =>
      acknowledged(runId, '/pull-request', { action }, call),
    /**
     * Replaces the session link, so that the old link stops working. An extension that services may lack (`not_found`).
     */
    revokeSessionLink: (runId: string, call?: CallOptions): ApiCall<Run> =>
      calls.typed(
        () => ({ method: 'POST', path: runPath(runId, '/session-link/revoke'), repeatable: true }),
        async () => (await import('../contract.ts')).runSchema,
        call,
      ),
    /** Polls a run until it ends. */
    wait,
    /** Searches for the run of a create request that failed with `ambiguous` or was interrupted by a crash. */
    findCreated: (attempt: CreateAttempt, options: FindOptions = {}): Promise<FoundRun> =>
      findCreated(reader, attempt, { ...options, settleMs: options.settleMs ?? limits.settleMs }),
  };
}
