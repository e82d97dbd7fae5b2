/** Receives webhooks at `POST /hooks/<automation ID>`. A delivery is stored before it's acknowledged. */

import { isUtf8 } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { isStoreUnavailable } from 'base/database/store-unavailable';
import { createOpenRequests } from 'base/http/open-requests';
import { closeAfterAnswer, readBody } from 'base/http/read-body';
import type { Logger } from 'base/logger';
import { parseJson } from 'base/parse-json';
import type { Automation } from '../automation.ts';
import type { FiringContent } from '../firing.ts';
import { createDeliveryRate } from './delivery-rate.ts';
import { createWebhookSecret } from './senders.ts';
import { verifyDelivery } from './verify-delivery.ts';

type NewDelivery = {
  automationId: string;
  teamId: string;
  happenedAt: number;
  key: string;
  fired: FiringContent;
};

type HookDeps = {
  automations: {
    findHook(id: string): Promise<{ automation: Automation; secrets: string[] } | undefined>;
  };
  firings: {
    /** Stores a delivery, to decide about it or with its end. Returns false for a repeat. */
    add(
      delivery: NewDelivery,
      body: string | undefined,
      end?: { state: 'skipped'; reason: string },
    ): Promise<boolean>;
  };
  /** Called after a new delivery is stored. */
  wake(): void;
  logger: Logger;
};

/** Max size of a body, in bytes. */
const maxBytes = 1024 * 1024;
/** Max open requests, whose bodies must all fit into memory. */
const maxOpen = 100;
const retryAfterSeconds = 10;
/** End of a delivery to a paused automation, whose body isn't kept. */
const whilePaused = { state: 'skipped', reason: 'The automation is paused.' } as const;
const hookPath = /^\/hooks\/([\w-]{1,100})$/;

/** Answer to a sender. People read `error` in the sender's list of deliveries. */
type Answer = {
  status: 202 | 400 | 401 | 405 | 413 | 429 | 503;
  headers?: Record<string, string>;
  body: { delivery: string } | { error: string };
};

const notSigned: Answer = {
  status: 401,
  body: {
    error: 'No webhook has this address, or the signature, its time or the secret is wrong.',
  },
};
const tooLarge: Answer = { status: 413, body: { error: 'The body is larger than 1 MiB.' } };
const notJson: Answer = {
  status: 400,
  body: { error: 'Send JSON in UTF-8 (content type application/json), at most 100 levels deep.' },
};
const notPosted: Answer = {
  status: 405,
  headers: { allow: 'POST', connection: 'close' },
  body: { error: 'Send deliveries with POST.' },
};
const retry = (status: 429 | 503, seconds: number, error: string): Answer => ({
  status,
  headers: { 'retry-after': String(seconds) },
  body: { error },
});
const tooMany = retry(503, retryAfterSeconds, 'Too many deliveries are open. Try again.');
const busy: Answer = { ...tooMany, headers: { ...tooMany.headers, connection: 'close' } };
const unavailable = retry(503, retryAfterSeconds, "The delivery can't be stored now. Try again.");

/**
 * Creates the function that answers webhooks. It returns false for requests to other paths, which it leaves unanswered.
 * Senders get the same answer for an unknown address and a wrong signature, after the same work.
 */
export function createHookServer({ automations, firings, wake, logger }: HookDeps) {
  const requests = createOpenRequests(maxOpen);
  const waitMs = createDeliveryRate();
  const unknownSecret = createWebhookSecret();

  async function accept(
    id: string,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<Answer> {
    const rawBody = await readBody(request, maxBytes);
    if (!rawBody) {
      closeAfterAnswer(request, response);
      return tooLarge;
    }
    const hook = await automations.findHook(id);
    const now = Date.now();
    const trigger = hook?.automation.definition.trigger;
    const sender = trigger?.kind === 'webhook' ? trigger.sender : 'github';
    const secrets = hook?.secrets ?? [unknownSecret];
    const verified = verifyDelivery(sender, secrets, request.headers, rawBody, now);
    if (!hook || !verified) {
      if (hook) logger.info({ automation: id }, 'Rejected a webhook with a wrong signature');
      return notSigned;
    }
    const waitSeconds = Math.ceil(waitMs(id, now) / 1_000);
    if (waitSeconds > 0) return retry(429, waitSeconds, 'At most 600 deliveries a minute.');
    const body = isUtf8(rawBody) ? rawBody.toString() : '';
    if (parseJson(body) === undefined) return notJson;
    const { deliveryId } = verified;
    const { teamId } = hook.automation;
    const fired = { kind: 'webhook', ...verified } as const;
    const key = `delivery ${deliveryId}`;
    const delivery = { automationId: id, teamId, happenedAt: now, key, fired };
    if (hook.automation.pause) await firings.add(delivery, undefined, whilePaused);
    else if (await firings.add(delivery, body)) wake();
    return { status: 202, body: { delivery: deliveryId } };
  }

  return async (request: IncomingMessage, response: ServerResponse): Promise<boolean> => {
    const [path = ''] = (request.url ?? '').split('?');
    const [, id] = hookPath.exec(path) ?? [];
    if (id === undefined) return false;
    if (request.method !== 'POST') send(response, notPosted);
    else if (!requests.admit(request, response)) send(response, busy);
    else
      send(
        response,
        await accept(id, request, response).catch((error: unknown) => {
          const isCut = !request.complete;
          if (!isStoreUnavailable(error) && !isCut)
            logger.error({ err: error, automation: id }, "Couldn't store a delivery of a webhook");
          return unavailable;
        }),
      );
    return true;
  };
}

function send(response: ServerResponse, { status, headers, body }: Answer): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(`${JSON.stringify(body)}\n`);
}
