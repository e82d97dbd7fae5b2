import type { HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { type Context, Hono } from 'hono';
import type { Logger } from '../lib/logger.ts';
import { sleep } from '../lib/sleep.ts';
import { ApiError } from './api-error.ts';
import type { CallFault, FaultDesk } from './faults.ts';
import type { JsonObject } from './json.ts';
import { type Method, withoutNulls } from './method.ts';
import { authorize, commonErrors } from './permissions.ts';
import type { RateLimits } from './rate-limits.ts';
import type { Traffic } from './traffic.ts';
import type { World } from './world.ts';

type Parts = {
  world: World;
  methods: readonly Method[];
  faults: FaultDesk;
  rateLimits: RateLimits;
  traffic: Traffic;
  logger: Logger;
  stopped: AbortSignal;
};

type Env = { Bindings: HttpBindings };

/** `POST /api/<method>`: arguments, token, scope, limits, faults, then the method itself. */
export function createApi(parts: Parts): Hono<Env> {
  const methods = new Map(parts.methods.map((method) => [method.name, method]));
  const api = new Hono<Env>();
  api.all('/:method', async (context) => {
    const name = context.req.param('method');
    const startedMs = Date.now();
    const request = await readArguments(context);
    const fault = parts.faults.takeCall(name);
    const early = fault && strikeBefore(context, fault);
    const method = methods.get(name);
    const answer = early ? undefined : await run(parts, method, context, request);
    const limited = answer && 'retryAfterSeconds' in answer ? answer.retryAfterSeconds : undefined;
    const body = limited === undefined ? answer : { ok: false, error: 'ratelimited' };
    const { token: _, ...shown } = request;
    const noted = fault ? { ...body, fault: fault.name } : body;
    parts.traffic.note({ direction: 'call', name, request: shown, answer: noted }, startedMs);
    if (early) return early;
    if (typeof limited === 'number') return tooMany(limited);
    if (fault?.name === 'answer_delayed') await sleep(fault.delayMs, parts.stopped);
    if (fault?.name === 'answer_lost') return cut(context);
    return context.json(body);
  });
  return api;
}

async function run(
  { world, rateLimits, logger }: Parts,
  method: Method | undefined,
  context: Context<Env>,
  request: JsonObject,
): Promise<JsonObject> {
  try {
    if (!method) throw new ApiError('unknown_method', { req_method: context.req.param('method') });
    const { token: inBody, team_id: teamId, ...args } = request;
    const inHeader = /^Bearer\s+(.+)$/i.exec(context.req.header('authorization') ?? '')?.[1];
    const token = inHeader ?? (typeof inBody === 'string' ? inBody : undefined);
    const installation = authorize(world, method, token);
    const waitSeconds = rateLimits.take(method, installation.teamId, args['channel']);
    if (waitSeconds > 0) return { retryAfterSeconds: waitSeconds };
    const own = method.argumentNames.includes('team_id') && teamId ? { team_id: teamId } : {};
    return { ok: true, ...(await method.run({ ...args, ...own }, { installation })) };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (method && !method.errors.includes(error.code) && !commonErrors.has(error.code)) {
      logger.error({ method: method.name, code: error.code }, 'an undocumented error was answered');
    }
    return { ok: false, error: error.code, ...error.details };
  }
}

async function readArguments(context: Context<Env>): Promise<JsonObject> {
  const query = context.req.query();
  if (context.req.method === 'GET') return query;
  const type = context.req.header('content-type') ?? '';
  if (type.startsWith('application/json')) {
    const body: unknown = await context.req.json().catch(() => undefined);
    return { ...query, ...withoutNulls(body) };
  }
  if (type.startsWith('multipart/form-data'))
    return { ...query, ...(await context.req.parseBody()) };
  return { ...query, ...Object.fromEntries(new URLSearchParams(await context.req.text())) };
}

/** Faults that leave no effect; the others strike when the call is done. */
function strikeBefore(context: Context<Env>, fault: CallFault): Response | undefined {
  switch (fault.name) {
    case 'rate_limited':
      return tooMany(fault.retryAfterSeconds);
    case 'server_error':
      return new Response('upstream connect error', { status: fault.status });
    case 'html_answer':
      return new Response('<html><body>Sign in to the proxy</body></html>', {
        headers: { 'content-type': 'text/html' },
      });
    case 'error_answer':
      return Response.json({ ok: false, error: fault.error });
    case 'connection_cut':
      return cut(context);
    case 'answer_lost':
    case 'answer_delayed':
      return undefined;
  }
}

function tooMany(seconds: number): Response {
  const headers = { 'retry-after': String(seconds) };
  return Response.json({ ok: false, error: 'ratelimited' }, { status: 429, headers });
}

function cut(context: Context<Env>): Response {
  context.env.incoming.socket.destroy();
  return RESPONSE_ALREADY_SENT;
}
