import { isObject, parseJson } from '../lib/json.ts';
import { signRequest } from '../signing.ts';
import { type Answer, type Delivery, notConnected, timedOut } from './delivery.ts';

type HttpTarget = { url: string; signingSecret: string; ackWithinMs: number };

/** Posts one signed delivery to the app's request URL and waits for the answer. */
export async function deliverByHttp(
  { url, signingSecret, ackWithinMs }: HttpTarget,
  delivery: Delivery,
  stop: AbortSignal,
): Promise<Answer> {
  const { body, contentType } = encode(delivery);
  const seconds = String(Math.floor(Date.now() / 1000));
  const headers: Record<string, string> = {
    // Bolt refuses a form with "; charset=utf-8".
    'content-type': contentType,
    'user-agent': 'Slackbot 1.0 (+https://api.slack.com/robots)',
    'x-slack-request-timestamp': seconds,
    'x-slack-signature': signRequest(signingSecret, seconds, body),
  };
  if (delivery.retry && delivery.retry.attempt > 0) {
    headers['x-slack-retry-num'] = String(delivery.retry.attempt);
    headers['x-slack-retry-reason'] = httpReason(delivery.retry.reason);
  }
  const timeout = AbortSignal.timeout(ackWithinMs);
  try {
    const signal = AbortSignal.any([timeout, stop]);
    const response = await fetch(url, { method: 'POST', body, headers, signal });
    const text = await response.text();
    if (response.ok) return { acked: true, body: parseJson(text) ?? text };
    const mayRetry =
      response.headers.get('x-slack-no-retry') === '1' ? { mayRetry: false as const } : {};
    return { acked: false, error: 'dispatch_failed', reason: 'http_error', ...mayRetry };
  } catch {
    return timeout.aborted ? timedOut : notConnected;
  }
}

/** The handshake of a new request URL: it must return the challenge. */
export async function verifyRequestUrl(
  target: HttpTarget,
  token: string,
  stop: AbortSignal,
): Promise<boolean> {
  const challenge = crypto.randomUUID();
  const payload = { token, challenge, type: 'url_verification' };
  const delivery: Delivery = { kind: 'events_api', payload };
  const answer = await deliverByHttp(target, delivery, stop);
  if (!answer.acked) return false;
  const { body } = answer;
  return body === challenge || (isObject(body) && body['challenge'] === challenge);
}

function encode({ kind, payload }: Delivery): { body: string; contentType: string } {
  if (kind === 'events_api') {
    return { body: JSON.stringify(payload), contentType: 'application/json' };
  }
  const fields =
    kind === 'interactive'
      ? { payload: JSON.stringify(payload) }
      : Object.fromEntries(Object.entries(payload).map(([key, value]) => [key, String(value)]));
  const body = new URLSearchParams(fields).toString();
  return { body, contentType: 'application/x-www-form-urlencoded' };
}

function httpReason(reason: string): string {
  return reason === 'timeout' ? 'http_timeout' : reason;
}
