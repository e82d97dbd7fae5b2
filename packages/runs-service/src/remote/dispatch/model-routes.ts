import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Logger } from 'base/logger';
import { callerAddress } from '../../api/keys/authentication.ts';
import { createRateLimit } from '../../api/keys/rate-limit.ts';
import { ApiProblem } from '../../api/problem.ts';
import { findEnvironment, type ServiceEnvironment } from '../../environments/environments.ts';
import type { ModelApi } from '../../environments/models-config.ts';
import { accessOfRun } from '../../gateway/access-of-run.ts';
import type { Gateway } from '../../gateway/gateway.ts';
import { endRest, noToken, type Rejection, reject } from '../../gateway/rejections.ts';
import type { RunAccess } from '../../gateway/run-access.ts';
import { hashToken, readToken } from '../../gateway/tokens.ts';
import type { Dispatches } from '../../store/dispatches.ts';
import { activeStates, type Runs } from '../../store/runs.ts';

const prefix = '/models';
const tokenForm = /^sam_[\w-]{43}$/;
/** Max calls with wrong tokens per minute and address. Calls with the right token always work. */
const wrongTokensPerMinute = 10;
/** Max requests of a connection that are open before it's known which run sent them. */
const maxUnknown = 128;

/**
 * Creates the function that answers model calls of remote runs at the service's address, below `/models/<provider>`.
 * Only the token of a run's current attempt works there. Returns false for all other paths.
 */
export function createModelRoutes({
  dispatches,
  runs,
  environments,
  gateway,
  isBehindProxy,
  stopping,
  logger,
}: {
  dispatches: Pick<Dispatches, 'runOfModelToken'>;
  runs: Pick<Runs, 'get' | 'change'>;
  environments: () => readonly ServiceEnvironment[];
  gateway: Pick<Gateway, 'handlerFor'>;
  /** True if a proxy in front of the service sends the caller's address. */
  isBehindProxy: boolean;
  /** Aborts when the service stops. */
  stopping: AbortSignal;
  logger: Logger;
}) {
  const wrongTokens = createRateLimit({ requestsPerMinute: wrongTokensPerMinute });

  /** Finds the access that a token opens. Returns undefined if the token opens none, or no longer does. */
  async function findAccess(token: string | undefined): Promise<RunAccess | undefined> {
    if (token === undefined || !tokenForm.test(token)) return undefined;
    const tokenHash = hashToken(token);
    const runId = await dispatches.runOfModelToken(tokenHash);
    const run = runId === undefined ? undefined : await runs.get(runId);
    const environment = run && findEnvironment(environments(), run.environment_id);
    if (!environment) return undefined;
    return accessOfRun(run, environment, {
      tokenHash,
      // The clock of a remote run and its end are in `run-one`, which learns of both from its reports.
      clock: { pause: () => undefined, resume: () => undefined },
      onStopped: () => undefined,
      note: (note) =>
        void runs.change(run.id, activeStates, { note }).catch((error: unknown) => {
          logger.warn({ err: error, runId: run.id }, 'cannot save a note of a run');
        }),
      signal: stopping,
    });
  }

  /** Counts a wrong token, and returns the rejection. */
  function wrongToken({ headers, socket }: IncomingMessage): Rejection {
    const forwarded = [headers['x-forwarded-for'] ?? []].flat().join();
    const address = callerAddress(forwarded, socket.remoteAddress ?? 'unknown', isBehindProxy);
    try {
      wrongTokens.take(address, 'Your address');
      return noToken;
    } catch (error) {
      if (!(error instanceof ApiProblem)) throw error;
      const seconds = Number(error.headers['retry-after']);
      return { ...tooManyTokens, retryAfterSeconds: seconds };
    }
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = (request.url ?? '').slice(prefix.length);
    let rejection: Rejection;
    try {
      const access = await findAccess(readToken(request, undefined));
      if (access) {
        request.url = path;
        return gateway.handlerFor(access)(request, response);
      }
      rejection = wrongToken(request);
    } catch (error) {
      logger.error({ err: error }, 'cannot read whose model call this is');
      rejection = unavailable;
    }
    response.setHeader('connection', 'close');
    reject(response, apiOf(path), rejection);
    endRest(request);
  }

  /** Requests of each connection whose run isn't known yet. */
  const unknown = new WeakMap<Socket, number>();

  return (request: IncomingMessage, response: ServerResponse): boolean => {
    if (!request.url?.startsWith(`${prefix}/`)) return false;
    const { socket } = request;
    const count = unknown.get(socket) ?? 0;
    if (count >= maxUnknown || socket.destroyed) {
      socket.destroy();
      return true;
    }
    unknown.set(socket, count + 1);
    response.on('error', () => undefined);
    void answer(request, response).finally(() =>
      unknown.set(socket, (unknown.get(socket) ?? 1) - 1),
    );
    return true;
  };
}

/** Returns the API whose error format fits a path, before the provider is known. */
function apiOf(path: string): ModelApi {
  if (path.includes('/v1beta/')) return 'gemini';
  return path.includes('/v1/messages') ? 'anthropic' : 'openai';
}

const tooManyTokens: Rejection = {
  status: 429,
  code: 'rate_limited',
  message: 'Too many wrong tokens came from your address. Try again later.',
};
const unavailable: Rejection = {
  status: 503,
  code: 'unavailable',
  message: "The runs service can't reach its database. Send the call again.",
};
