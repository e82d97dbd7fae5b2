import type { MiddlewareHandler } from 'hono';
import type { Keyring, ServiceKey } from './keyring.ts';
import { ApiProblem } from './problem.ts';

export type CallerVariables = { caller: ServiceKey };

export const unknownKey =
  'This API key is unknown or revoked. Ask the person who runs this service for a new one.';

export function requireKey(keyring: Keyring): MiddlewareHandler<{ Variables: CallerVariables }> {
  const challenge = { 'www-authenticate': 'Bearer realm="runs"' };
  return async (context, next) => {
    const key = /^Bearer +(\S+)$/i.exec(context.req.header('authorization') ?? '')?.[1];
    if (key === undefined)
      throw new ApiProblem(
        'authentication_required',
        'Send an API key in the header "Authorization: Bearer <key>".',
        challenge,
      );
    const caller = await keyring.ownerOf(key);
    if (!caller) throw new ApiProblem('authentication_required', unknownKey, challenge);
    context.set('caller', caller);
    await next();
  };
}
