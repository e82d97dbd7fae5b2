import { createHmac } from 'node:crypto';

/** Returns Slack's request signature: HMAC-SHA256 over `v0:<unix seconds>:<raw body>`. */
export function signRequest(signingSecret: string, seconds: string, body: string): string {
  const digest = createHmac('sha256', signingSecret).update(`v0:${seconds}:${body}`);
  return `v0=${digest.digest('hex')}`;
}
