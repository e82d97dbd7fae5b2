import { randomBytes } from 'node:crypto';

/** The part of a session link that nobody can guess. */
export const newSessionToken = () => randomBytes(32).toString('base64url');
