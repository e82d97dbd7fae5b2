import { type Context, Hono, type HonoRequest } from 'hono';
import type { Traffic } from '../deliveries/traffic.ts';
import { type Env, failAfter, failBefore, tooManyRequests } from '../faults/call-faults.ts';
import type { FaultQueue } from '../faults/faults.ts';
import type { JsonObject } from '../lib/json.ts';
import type { Logger } from '../lib/logger.ts';
import { ApiError } from './api-error.ts';
import { type Method, withoutNulls } from './method.ts';
import { type Authorize, commonErrors } from './permissions.ts';
import type { RateLimits } from './rate-limits.ts';

type ApiDeps = {
  methods: readonly Method[];
  authorize: Authorize;
  faults: FaultQueue;
  rateLimits: RateLimits;
  traffic: Traffic;
  logger: Logger;
  stopped: AbortSignal;
};

/** Result of a call. `scopes` are the token's scopes. */
type Result = { body: JsonObject; scopes?: readonly string[] } | { retryAfterSeconds: number };

/** Serves `POST /api/<method>`. Checks arguments, token, scope, limits and faults, then calls the method. */
export function createApi(deps: ApiDeps): Hono<Env> {
  const methods = new Map(deps.methods.map((method) => [method.name, method]));
  const api = new Hono<Env>();
  api.all('/:method', async (context) => {
    const name = context.req.param('method');
    const startedMs = Date.now();
    const { token, ...request } = await readArguments(context.req);
    const note = (answer: unknown) =>
      deps.traffic.note({ direction: 'call', name, request, answer }, startedMs);
    const { cleared } = deps.faults;
    const fault = deps.faults.takeCall(name);
    const early = fault && failBefore(context, fault);
    if (early) {
      note({ fault: fault.name });
      return early;
    }
    const result = await run(deps, methods.get(name), {
      name,
      request,
      token: tokenOf(context, token),
    });
    if ('retryAfterSeconds' in result) {
      note({ ok: false, error: 'ratelimited', ...result });
      return tooManyRequests(result.retryAfterSeconds);
    }
    // Send the token's scopes in this header, as Slack does:
    // https://docs.slack.dev/authentication/installing-with-oauth
    if (result.scopes?.length) context.header('x-oauth-scopes', result.scopes.join(','));
    note(fault ? { ...result.body, fault: fault.name } : result.body);
    const late = fault && (await failAfter(context, fault, [deps.stopped, cleared]));
    return late ?? context.json(result.body);
  });
  return api;
}

/** Returns the token of a call. The header takes precedence over the argument. */
function tokenOf(context: Context<Env>, argument: unknown): string | undefined {
  const inHeader = /^Bearer\s+(\S+)$/i.exec(context.req.header('authorization') ?? '')?.[1];
  return inHeader ?? (typeof argument === 'string' ? argument : undefined);
}

async function run(
  { authorize, rateLimits, logger }: ApiDeps,
  method: Method | undefined,
  { name, request, token }: { name: string; request: JsonObject; token: string | undefined },
): Promise<Result> {
  try {
    if (!method) throw new ApiError('unknown_method', { req_method: name });
    const installation = authorize(method, token, request);
    const retryAfterSeconds = rateLimits.take(method, installation.teamId, request['channel']);
    if (retryAfterSeconds > 0) return { retryAfterSeconds };
    // Drop `team_id` if the method doesn't accept it, because Bolt adds it to every call.
    const { team_id: teamId, ...rest } = request;
    const isKnown = teamId !== undefined && method.argumentNames.includes('team_id');
    const args = isKnown ? request : rest;
    const body = { ok: true, ...(await method.run(args, { installation, token })) };
    return { body, scopes: installation.scopes };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (method && !method.errors.includes(error.code) && !commonErrors.has(error.code)) {
      logger.error(
        { method: name, code: error.code },
        'a method returned an error that it does not document',
      );
    }
    const { provided } = error.details;
    const body = { ok: false, error: error.code, ...error.details };
    return { body, scopes: typeof provided === 'string' ? provided.split(',') : [] };
  }
}

/**
 * Reads the arguments of a call from the query, form or JSON. Client ID and secret can also come from Basic
 * authentication.
 */
async function readArguments(request: HonoRequest): Promise<JsonObject> {
  return { ...readBasic(request), ...request.query(), ...(await readBody(request)) };
}

async function readBody(request: HonoRequest): Promise<JsonObject> {
  if (request.method === 'GET') return {};
  const type = request.header('content-type') ?? '';
  if (type.startsWith('application/json')) {
    return withoutNulls(await request.json().catch(() => undefined));
  }
  if (type.startsWith('multipart/form-data')) return await request.parseBody();
  return Object.fromEntries(new URLSearchParams(await request.text()));
}

function readBasic(request: HonoRequest): JsonObject {
  const encoded = /^Basic\s+(\S+)$/i.exec(request.header('authorization') ?? '')?.[1];
  if (!encoded) return {};
  const [id = '', secret = ''] = Buffer.from(encoded, 'base64').toString('utf8').split(':');
  return { client_id: id, client_secret: secret };
}
