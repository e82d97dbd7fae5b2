import { randomUUID } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Logger } from 'base/logger';
import { allowedModels, modelsList } from './allowed-models.ts';
import { answerCall, type CallDeps } from './answer-call.ts';
import { createBudget } from './body/budget.ts';
import { endRest, noToken, notFound, type Rejection, reject } from './rejections.ts';
import { findRoute } from './routes.ts';
import type { RunAccess } from './run-access.ts';
import { createRunStates } from './run-states.ts';
import { isToken, readToken } from './tokens.ts';

type GatewayDeps = Omit<CallDeps, 'bodyBytes' | 'heldBytes'> & { logger: Logger };

export type Gateway = {
  /** Returns the function that answers the calls of one run. */
  handlerFor(access: RunAccess): RequestListener;
  /** Resolves when no call of the run is in progress. */
  whenIdle(runId: string): Promise<void>;
  /** Ends all calls in progress, and settles them. */
  stop(): Promise<void>;
};

/** Max requests of one run that are open. Programs have far fewer. */
const maxOpenRequests = 128;

/** Memory for request bodies of all runs. */
const maxBodyBytes = 256 * 1024 * 1024;
/** Memory for those of calls that wait at a cap. It's their own, so that they never block calls that can be sent. */
const maxHeldBytes = 64 * 1024 * 1024;

/** Creates the gateway through which agents call models. Agents never get a key, and every call is counted. */
export function createGateway({ logger, ...deps }: GatewayDeps): Gateway {
  const states = createRunStates();
  const stopping = new AbortController();
  const callDeps: CallDeps = {
    ...deps,
    bodyBytes: createBudget(maxBodyBytes),
    heldBytes: createBudget(maxHeldBytes),
  };

  async function answer(access: RunAccess, request: IncomingMessage, response: ServerResponse) {
    const id = randomUUID();
    const arrivedAt = performance.now();
    response.setHeader('request-id', id).setHeader('x-request-id', id);
    const gone = new AbortController();
    response.on('error', () => undefined);
    const onClosed = () => {
      if (!response.writableFinished) gone.abort();
    };
    response.on('close', onClosed);
    // A response that waits for an earlier one on its connection doesn't learn that the connection was closed.
    const { socket } = request;
    socket.setMaxListeners(maxOpenRequests * 2).on('close', onClosed);
    response.on('close', () => socket.off('close', onClosed));
    const { method = '', url = '' } = request;
    const routed = findRoute(method, url, access.providers);
    const api = routed?.provider.api ?? 'openai';
    const rejectNow = (rejection: Rejection) => {
      deps.reports?.onRejected(rejection.code);
      reject(response, api, rejection);
      endRest(request);
    };
    if (request.headers.upgrade !== undefined) return rejectNow(noUpgrade);
    const route = routed?.route ?? { kind: 'unknown' };
    if (route.kind === 'base') return void response.writeHead(204).end();
    if (!isToken(readToken(request, routed?.queryKey), access.tokenHash)) return rejectNow(noToken);
    if (!routed || route.kind === 'unknown') return rejectNow(notFound);
    const { provider } = routed;
    if (route.kind === 'models') {
      const body = JSON.stringify(modelsList(api, allowedModels(provider, access) ?? []));
      return void response.writeHead(200, { 'content-type': 'application/json' }).end(body);
    }
    const signal = AbortSignal.any([gone.signal, access.signal, stopping.signal]);
    const call = { id, access, provider, route, request, response, arrivedAt, signal };
    const rejection = await answerCall(call, states.of(access), callDeps);
    if (rejection) rejectNow(rejection);
    // The access ended during the call.
    if (signal.aborted) response.destroy();
  }

  return {
    handlerFor: (access) => (request, response) => {
      const { calls } = states.of(access);
      // An agent can send requests without waiting for responses, and each of them needs memory.
      if (calls.size >= maxOpenRequests || request.socket.destroyed) {
        request.socket.destroy();
        return;
      }
      const call = answer(access, request, response)
        .catch((error: unknown) => {
          logger.error({ err: error, runId: access.runId }, 'a model call failed in the gateway');
          response.destroy();
        })
        .finally(() => calls.delete(call));
      calls.add(call);
    },
    async whenIdle(runId) {
      await Promise.all(states.of({ runId }).calls);
    },
    async stop() {
      stopping.abort();
      await Promise.all(states.all().flatMap(({ calls }) => [...calls]));
      await deps.upstream.close();
    },
  };
}

const noUpgrade: Rejection = {
  status: 426,
  code: 'no_upgrade',
  message: 'The model gateway accepts plain HTTP requests only.',
};
