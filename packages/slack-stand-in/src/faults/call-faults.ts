import type { HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { Context } from 'hono';
import { sleep } from '../lib/sleep.ts';
import type { CallFault } from './faults.ts';

export type Env = { Bindings: HttpBindings };

/**
 * Applies a fault before the call has an effect. Returns the response that replaces the call's own. Returns undefined
 * for faults that apply after the call.
 */
export function failBefore(context: Context<Env>, fault: CallFault): Response | undefined {
  switch (fault.name) {
    case 'rate_limited':
      return tooManyRequests(fault.retryAfterSeconds);
    case 'server_error':
      return new Response('upstream connect error', { status: fault.status });
    case 'html_answer':
      return new Response('<html><body>Sign in to the proxy</body></html>', {
        headers: { 'content-type': 'text/html' },
      });
    case 'error_answer':
      return Response.json({ ok: false, error: fault.error });
    case 'connection_cut':
      return cutConnection(context);
    case 'answer_lost':
    case 'answer_delayed':
      return undefined;
  }
}

/**
 * Applies a fault after the call had its effect. Cuts the connection, or delays the response. A delay ends early if one
 * of `ends` aborts.
 */
export async function failAfter(
  context: Context<Env>,
  fault: CallFault,
  ends: AbortSignal[],
): Promise<Response | undefined> {
  if (fault.name === 'answer_delayed') await sleep(fault.delayMs, AbortSignal.any(ends));
  return fault.name === 'answer_lost' ? cutConnection(context) : undefined;
}

export function tooManyRequests(seconds: number): Response {
  const headers = { 'retry-after': String(seconds) };
  return Response.json({ ok: false, error: 'ratelimited' }, { status: 429, headers });
}

function cutConnection(context: Context<Env>): Response {
  context.env.incoming.socket.destroy();
  return RESPONSE_ALREADY_SENT;
}
