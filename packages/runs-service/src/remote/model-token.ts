import { createHmac } from 'node:crypto';

/**
 * Returns the token with which the agent of an attempt reaches models. It's derived from the attempt's own token, so
 * that repeated answers contain the same one, and each attempt has another. It doesn't reveal the attempt's token.
 */
export const modelTokenOf = (attemptToken: string): string =>
  `sam_${createHmac('sha256', attemptToken).update('model token').digest('base64url')}`;
