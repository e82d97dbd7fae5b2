import { getConnInfo } from '@hono/node-server/conninfo';
import type { Context, MiddlewareHandler } from 'hono';
import { LRUCache } from 'lru-cache';
import { ApiProblem } from '../problem.ts';
import { type KeyOwner, type Keyring, keyHash, keyPrefix } from './keyring.ts';

export type CallerVariables = { caller: KeyOwner };

/** Returns the owner of a key in a request, or undefined if the key is unknown. */
export type Authenticate = (context: Context, key: string) => Promise<KeyOwner | undefined>;

type AuthenticateOptions = {
  keyring: Pick<Keyring, 'ownerOf'>;
  /** Returns true if a proxy in front of the service sends the caller's address. */
  isBehindProxy: () => boolean;
};

const maxWrongKeys = 20;
const windowMs = 10 * 60_000;
const maxCounted = 10_000;

/**
 * Finds the owner of a key, and slows down guessing. A valid key always works, because programs share addresses. After
 * 20 different wrong keys that begin alike, their address has to wait.
 */
export function createAuthenticate({ keyring, isBehindProxy }: AuthenticateOptions): Authenticate {
  const wrongKeys = new LRUCache<string, Set<string>>({
    max: maxCounted,
    ttl: windowMs,
    noUpdateTTL: true,
  });
  return async (context, key) => {
    const owner = await keyring.ownerOf(key);
    if (owner) return owner;
    const counted = `${keyPrefix(key)} ${addressOf(context, isBehindProxy())}`;
    const wrong = wrongKeys.get(counted) ?? new Set();
    const hash = keyHash(key);
    // Reject further wrong keys with 429. A wrong key that was already counted, such as a revoked one, still gets
    // 401.
    if (wrong.size >= maxWrongKeys && !wrong.has(hash)) {
      const seconds = Math.ceil(wrongKeys.getRemainingTTL(counted) / 1000);
      throw new ApiProblem(
        'rate_limited',
        `Too many wrong API keys came from your address. Try again in ${seconds}s.`,
        { 'retry-after': String(seconds) },
      );
    }
    wrongKeys.set(counted, wrong.add(hash));
    return undefined;
  };
}

const addressOf = (context: Context, isBehindProxy: boolean) =>
  callerAddress(context.req.header('x-forwarded-for'), socketAddress(context), isBehindProxy);

/** Returns the caller's address. Uses the last address in `x-forwarded-for`, because callers can make up the others. */
export function callerAddress(
  forwardedFor: string | undefined,
  direct: string,
  isBehindProxy: boolean,
): string {
  const forwarded = forwardedFor?.split(',').at(-1)?.trim();
  const address = (isBehindProxy && forwarded) || direct;
  // Count an IPv6 network as one address, because one caller can have billions.
  return address.includes('.') ? address : address.split(':').slice(0, 4).join(':');
}

/** Returns the address of the connection, or "unknown" in tests, which call the app without a socket. */
const socketAddress = (context: Context) =>
  (context.env?.incoming && getConnInfo(context).remote.address) || 'unknown';

export const unknownKey =
  'This API key is unknown or revoked. Ask the operator of this service for a new one.';

export const keyIn = (context: Context): string | undefined =>
  /^Bearer +(\S+)$/i.exec(context.req.header('authorization') ?? '')?.[1];

/** Creates middleware that rejects requests without a key, and changes with a read-only key. */
export function requireKey(
  authenticate: Authenticate,
): MiddlewareHandler<{ Variables: CallerVariables }> {
  const challenge = { 'www-authenticate': 'Bearer realm="runs"' };
  return async (context, next) => {
    const key = keyIn(context);
    if (key === undefined)
      throw new ApiProblem(
        'authentication_required',
        'Send an API key in the header "Authorization: Bearer <key>".',
        challenge,
      );
    const caller = await authenticate(context, key);
    if (!caller) throw new ApiProblem('authentication_required', unknownKey, challenge);
    if (caller.role === 'read' && !['GET', 'HEAD'].includes(context.req.method))
      throw new ApiProblem(
        'not_authorized',
        'This key has the role "read": it can\'t start or change runs. Ask the operator of this service for another key.',
      );
    context.set('caller', caller);
    await next();
  };
}
