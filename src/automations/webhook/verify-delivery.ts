/** Signatures of webhooks. Everything that a sender sends can be forged, so what isn't signed decides nothing. */
import { createHash, createHmac, randomUUID, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { parseJson } from 'base/parse-json';
import { z } from 'zod';
import type { WebhookSender } from '../automation.ts';
import { keyOfSecret, shortestKey } from './senders.ts';

/** `deliveryId` is the same for a repeated delivery. `event` is the sender's name of what happened. */
export type VerifiedDelivery = { deliveryId: string; event?: string };

/** Max difference between the time of a signature and now, in seconds. */
const toleranceSeconds = 5 * 60;

type Delivery = {
  /** Returns a header, or an empty text. */
  header(name: string): string;
  rawBody: Buffer;
  nowMs: number;
};

/** Returns the verified delivery, or undefined if this secret didn't sign it. */
type Verify = (delivery: Delivery, secret: string) => VerifiedDelivery | undefined;

/** Returns the delivery if one of the secrets signed it. */
export function verifyDelivery(
  sender: WebhookSender,
  secrets: readonly string[],
  headers: IncomingHttpHeaders,
  rawBody: Buffer,
  nowMs: number,
): VerifiedDelivery | undefined {
  const header = (name: string) => {
    const value = headers[name];
    return typeof value === 'string' ? value : '';
  };
  const usable = secrets.filter((secret) => secret !== '');
  const verified = usable.map((secret) => verify[sender]({ header, rawBody, nowMs }, secret));
  return verified.find((each) => each !== undefined);
}

/** GitHub signs the body. https://docs.github.com/en/webhooks/using-webhooks/validating-webhook-deliveries */
const verifyGithub: Verify = ({ header, rawBody }, secret) => {
  const [, signature = ''] = /^sha256=(.*)$/.exec(header('x-hub-signature-256')) ?? [];
  if (!isSame(signature, hmac(secret, 'hex', rawBody))) return undefined;
  return delivered(bodyId(rawBody), header('x-github-event'));
};

/**
 * Standard Webhooks signs ID, time and body.
 * https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
const verifyStandard: Verify = ({ header, rawBody, nowMs }, secret) => {
  const [id, timestamp] = [header('webhook-id'), header('webhook-timestamp')];
  const key = keyOfSecret(secret);
  const wanted = hmac(key, 'base64', Buffer.from(`${id}.${timestamp}.`), rawBody);
  const signatures = header('webhook-signature').split(' ');
  const isSigned = signatures.some((each) => isSame(each, `v1,${wanted}`));
  const isRecent =
    /^\d{1,12}$/.test(timestamp) && Math.abs(nowMs / 1_000 - Number(timestamp)) <= toleranceSeconds;
  if (!isSigned || !isRecent || id === '' || key.length < shortestKey) return undefined;
  return delivered(id);
};

/**
 * GitLab sends the secret itself, or signs as Standard Webhooks does.
 * https://docs.gitlab.com/user/project/integrations/webhooks/
 */
const verifyGitlab: Verify = (delivery, secret) => {
  const { header, rawBody } = delivery;
  const event = header('x-gitlab-event');
  const signed = verifyStandard(delivery, secret);
  if (signed) return delivered(signed.deliveryId, event);
  if (!isSame(header('x-gitlab-token'), secret)) return undefined;
  return delivered(header('idempotency-key') || bodyId(rawBody), event);
};

/**
 * Sentry signs the body.
 * https://docs.sentry.io/organization/integrations/integration-platform/webhooks/#sentry-hook-signature
 */
const verifySentry: Verify = ({ header, rawBody }, secret) => {
  if (!isSame(header('sentry-hook-signature'), hmac(secret, 'hex', rawBody))) return undefined;
  return delivered(bodyId(rawBody), header('sentry-hook-resource'));
};

const pagerdutySchema = z.object({
  event: z.object({ id: z.string().min(1), event_type: z.string().optional() }),
});

/**
 * PagerDuty signs the body, which has an ID, with each of its secrets.
 * https://docs.pagerduty.com/developer/verifying-webhook-signatures
 */
const verifyPagerduty: Verify = ({ header, rawBody }, secret) => {
  const wanted = `v1=${hmac(secret, 'hex', rawBody)}`;
  const signatures = header('x-pagerduty-signature').split(',');
  if (!signatures.some((each) => isSame(each.trim(), wanted))) return undefined;
  const body = pagerdutySchema.safeParse(parseJson(rawBody.toString()));
  return delivered(body.data?.event.id ?? bodyId(rawBody), body.data?.event.event_type);
};

/** Without an idempotency key, each delivery is a new one, because two equal bodies can be two calls. */
const verifyBearer: Verify = ({ header }, secret) => {
  const [, token = ''] = /^bearer +(\S+) *$/i.exec(header('authorization')) ?? [];
  return isSame(token, secret) ? delivered(header('idempotency-key') || randomUUID()) : undefined;
};

const verify: Record<WebhookSender, Verify> = {
  bearer: verifyBearer,
  standard: verifyStandard,
  github: verifyGithub,
  gitlab: verifyGitlab,
  sentry: verifySentry,
  pagerduty: verifyPagerduty,
};

/** Max length of an ID that is kept as it is. */
const longestId = 100;

function delivered(id: string, event?: string): VerifiedDelivery {
  const isPlain = id.length <= longestId && /^[\x21-\x7e]+$/.test(id);
  return {
    deliveryId: isPlain ? id : bodyId(Buffer.from(id)),
    ...(event && /^[\x20-\x7e]{1,100}$/.test(event) && { event }),
  };
}

/**
 * Returns an ID made of a body. Senders that sign only the body also send IDs, but anyone who saw a delivery could
 * repeat it with another ID.
 */
const bodyId = (rawBody: Buffer): string =>
  createHash('sha256').update(rawBody).digest('base64url');

function hmac(key: string | Buffer, encoding: 'hex' | 'base64', ...data: Buffer[]): string {
  const signature = createHmac('sha256', key);
  for (const each of data) signature.update(each);
  return signature.digest(encoding);
}

/** Compares two texts in a time that doesn't depend on where they differ. */
function isSame(given: string, wanted: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(wanted));
}
