import { randomBytes } from 'node:crypto';

/** Returns a unique ID, because agents merge items with the same ID. */
export const newId = (prefix: string): string => `${prefix}_${randomBytes(8).toString('hex')}`;
