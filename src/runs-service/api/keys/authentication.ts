import { getConnInfo } from '@hono/node-server/conninfo';
import type { Context, MiddlewareHandler } from 'hono';
import { LRUCache } from 'lru-cache';
import { ApiProblem } from '../problem.ts';
import { type KeyOwner, type Keyring, keyHash } from './keyring.ts';

export type CallerVariables = { caller: KeyOwner };

/** The owner of a key that a request came with; undefined if the key is unknown. */
export type Authenticate = (context: Context, key: string) => Promise<KeyOwner | undefined>;

type AuthenticateOptions = {
  keyring: Pick<Keyring, 'ownerOf'>;
  /** Whether a proxy is in front, which names the caller's address. */
  isBehindProxy: () => boolean;
};

const maxWrongKeys = 20;
const windowMs = 10 * 60_000;
const maxAddresses = 10_000;

/**
 * The only way to use a key. After 20 different wrong keys, their address is refused for up to ten minutes. A wrong key
 * that is sent again doesn't count, so a program with a revoked key doesn't keep others out.
 */
export function createAuthenticate({ keyring, isBehindProxy }: AuthenticateOptions): Authenticate {
  const wrongKeys = new LRUCache<string, Set<string>>({
    max: maxAddresses,
    ttl: windowMs,
    noUpdateTTL: true,
  });
  return async (context, key) => {
    const address = addressOf(context, isBehindProxy());
    const hash = keyHash(key);
    const wrong = wrongKeys.get(address);
    if (wrong?.has(hash)) return undefined;
    if (wrong && wrong.size >= maxWrongKeys) {
      const seconds = Math.ceil(wrongKeys.getRemainingTTL(address) / 1000);
      throw new ApiProblem(
        'rate_limited',
        `Too many wrong API keys came from your address. Try again in ${seconds}s.`,
        { 'retry-after': String(seconds) },
      );
    }
    const owner = await keyring.ownerOf(key);
    if (!owner) wrongKeys.set(address, (wrongKeys.get(address) ?? new Set()).add(hash));
    return owner;
  };
}

/** A proxy adds the address that it saw at the end of the header. Everything before it, the caller may have made up. */
function addressOf(context: Context, isBehindProxy: boolean): string {
  const forwarded = context.req.header('x-forwarded-for')?.split(',').at(-1)?.trim();
  const address = (isBehindProxy && forwarded) || socketAddress(context);
  // A network of IPv6 has more addresses than could be counted.
  return address.includes('.') ? address : address.split(':').slice(0, 4).join(':');
}

/** Tests call the app without a socket. */
const socketAddress = (context: Context) =>
  (context.env?.incoming && getConnInfo(context).remote.address) || 'unknown';

export const unknownKey =
  'This API key is unknown or revoked. Ask the operator of this service for a new one.';

export const keyIn = (context: Context): string | undefined =>
  /^Bearer +(\S+)$/i.exec(context.req.header('authorization') ?? '')?.[1];

/** Refuses requests without a key, and changes with a key that may only read. */
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
