import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** Creates the token of a run. Its prefix lets secret scanners find it. */
export const createToken = (): string => `sam_${randomBytes(32).toString('base64url')}`;

/** Returns the SHA-256 of a token in hex, which is stored in place of the token. */
export const hashToken = (token: string): string =>
  createHash('sha256').update(token).digest('hex');

/**
 * Returns the token that a request contains, in any of the places that programs use for a key. Returns undefined if
 * there is none, or if two places contain different tokens.
 * @param queryKey value of `key` in the query
 */
export function readToken(
  { rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>,
  queryKey: string | undefined,
): string | undefined {
  const found = new Set<string>(queryKey === undefined ? [] : [queryKey]);
  // Node keeps only the first of two Authorization headers, so read all headers as they were sent.
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const [name = '', value = ''] = rawHeaders.slice(at, at + 2);
    const lowercase = name.toLowerCase();
    if (lowercase === 'x-api-key' || lowercase === 'x-goog-api-key') found.add(value);
    if (lowercase === 'authorization') found.add(value.replace(/^Bearer +/i, ''));
  }
  const [token] = found;
  return found.size === 1 ? token : undefined;
}

/** Returns true if a token has this hash. */
export function isToken(token: string | undefined, hash: string): boolean {
  if (token === undefined) return false;
  const [given, expected] = [Buffer.from(hashToken(token)), Buffer.from(hash)];
  return given.length === expected.length && timingSafeEqual(given, expected);
}
