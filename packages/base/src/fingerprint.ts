import { createHash } from 'node:crypto';

/**
 * Returns 22 characters that change whenever the value does. Callers compare them to see if something must be shown
 * again.
 */
export const fingerprint = (value: object): string =>
  createHash('sha256').update(JSON.stringify(value)).digest('base64url').slice(0, 22);
