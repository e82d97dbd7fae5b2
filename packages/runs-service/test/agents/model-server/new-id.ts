import { randomBytes } from 'node:crypto';

/** Agents merge what has the same id. */
export const newId = (prefix: string): string => `${prefix}_${randomBytes(8).toString('hex')}`;
