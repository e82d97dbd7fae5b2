import { createHash } from 'node:crypto';

/** 22 characters that change whenever the value does, to see whether something must be shown again. */
export const fingerprint = (value: object): string =>
  createHash('sha256').update(JSON.stringify(value)).digest('base64url').slice(0, 22);
