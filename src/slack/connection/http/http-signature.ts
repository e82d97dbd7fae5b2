import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

/** An older request may be a replay, and a later one could be recorded for a replay. */
const toleranceSeconds = 5 * 60;

/**
 * Whether Slack sent this, just now. The same check as Bolt's in a third of the time: Bolt signs twice more to compare in
 * constant time. See https://docs.slack.dev/authentication/verifying-requests-from-slack
 */
export function isFromSlack(
  signingSecret: string,
  headers: IncomingHttpHeaders,
  body: string,
): boolean {
  const sent = read(headers);
  if (!sent) return false;
  const { signature, timestamp } = sent;
  const digest = createHmac('sha256', signingSecret)
    .update(`v0:${timestamp}:${body}`)
    .digest('hex');
  const [ours, theirs] = [Buffer.from(`v0=${digest}`), Buffer.from(signature)];
  return ours.length === theirs.length && timingSafeEqual(ours, theirs);
}

/** Whether a request has a recent signature, which may be wrong. */
export const hasSignature = (headers: IncomingHttpHeaders): boolean => read(headers) !== undefined;

function read({
  'x-slack-signature': signature,
  'x-slack-request-timestamp': timestamp,
}: IncomingHttpHeaders): { signature: string; timestamp: string } | undefined {
  if (typeof signature !== 'string' || typeof timestamp !== 'string') return undefined;
  const isRecent =
    /^\d{1,15}$/.test(timestamp) &&
    Math.abs(Number(timestamp) - Date.now() / 1_000) <= toleranceSeconds;
  return signature && isRecent ? { signature, timestamp } : undefined;
}
