import { randomUUID } from 'node:crypto';
import type { ApiRequest } from '../call-options.ts';
import type { CreateRunRequest, CreateRunResponse } from '../contract.ts';
import { describeAttempt, requestIdKey } from '../create-attempt.ts';
import { runPath } from '../http/address.ts';
import { ApiCall, infoOf } from '../http/api-calls.ts';
import type { Caller } from '../http/caller.ts';
import { readData } from '../http/read-reply.ts';
import { RunsApiError } from '../runs-api-error.ts';
import { type CreateContext, type CreateOptions, createRun } from './create-run.ts';

/** Creates the function `runs.create`, which adds a request ID to the metadata and headers of a request. */
export function createCreateCall(caller: Caller, context: CreateContext) {
  return (request: CreateRunRequest, options: CreateOptions = {}): ApiCall<CreateRunResponse> => {
    const { previous } = options;
    const requestId =
      previous?.requestId ??
      options.idempotencyKey ??
      request.metadata?.[requestIdKey] ??
      randomUUID();
    const call: CreateOptions = { ...options, idempotencyKey: requestId };

    async function begin() {
      // Note the sending time on the monotonic clock, because someone may change the local clock before the search
      // for the run.
      context.reader.clock.markSent(requestId);
      const body = await withRequestId(request, requestId);
      const isRepeatable = context.isIdempotent;
      const post: ApiRequest = {
        method: 'POST',
        path: '/agent/run',
        body,
        repeatable: isRepeatable,
      };
      const attempt = previous
        ? { ...previous }
        : describeAttempt(request, requestId, Date.now(), context.reader.clock.nowMs());
      return { post, attempt };
    }

    return new ApiCall({
      async data() {
        const { post, attempt } = await begin();
        return createRun(
          context,
          {
            async post(each, progress) {
              const reply = await caller.send(post, each, progress);
              const data = await readData(
                reply,
                async () => (await import('../contract.ts')).createRunResponseSchema,
              );
              return { data, ...infoOf(reply) };
            },
            runIdOf: ({ data }) => data.run_id,
            recover: ({ run: { run_id, state }, reply }) => ({ data: { run_id, state }, ...reply }),
          },
          attempt,
          call,
        );
      },
      async raw() {
        const { post, attempt } = await begin();
        return createRun(
          context,
          {
            post: (each, progress) => caller.open(post, each, progress),
            runIdOf: () => undefined,
            recover: ({ run }) =>
              caller.open({ method: 'GET', path: runPath(run.run_id) }, options),
          },
          attempt,
          call,
        );
      },
    });
  };
}

/** Adds the request ID to a request's metadata and checks the request. Unknown fields are sent unchanged. */
async function withRequestId(
  request: CreateRunRequest,
  requestId: string,
): Promise<CreateRunRequest> {
  const body = { ...request, metadata: { ...request.metadata, [requestIdKey]: requestId } };
  const { createRunRequestSchema } = await import('../contract.ts');
  const { error } = createRunRequestSchema.safeParse(body);
  const hasWork = body.prompt ?? body.skill ?? body.config?.skill_spec;
  if (!error && hasWork !== undefined) return body;
  const [issue] = error?.issues ?? [];
  const why = issue ? `${issue.path.join('.')} ${issue.message}` : 'it needs a prompt or a skill';
  const message = `the request to create a run isn't valid: ${why}; nothing was sent`;
  throw new RunsApiError({ code: 'invalid_request', message, sent: false });
}
