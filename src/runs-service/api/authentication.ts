import type { MiddlewareHandler } from 'hono';
import type { Keyring, ServiceKey } from './keyring.ts';
import { ApiProblem } from './problem.ts';

export type CallerVariables = { caller: ServiceKey };

/** Lets a request through only with a key that this service knows. */
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
    if (!caller)
      throw new ApiProblem(
        'authentication_required',
        'This API key is not known here, or was revoked. Ask whoever runs this service for one.',
        challenge,
      );
    context.set('caller', caller);
    await next();
  };
}
