import { setMaxListeners } from 'node:events';
import type { FaultQueue } from '../faults/faults.ts';
import { isObject, parseJson } from '../lib/json.ts';
import { sleep } from '../lib/sleep.ts';
import { signRequest } from '../signing.ts';
import type { World } from '../world/world.ts';
import { type Answer, type Delivery, notConnected, timedOut } from './delivery.ts';
import type { SocketMode } from './socket-mode.ts';
import type { Traffic } from './traffic.ts';

export type DeliverTo = { mode: 'socket' } | { mode: 'http'; url: string };

/** Delays before Slack's retries of an event, in ms: nearly at once, a minute, and five minutes. */
export const slackRetryDelaysMs: readonly number[] = [1000, 60_000, 300_000];

type DeliveriesDeps = {
  world: World;
  socketMode: SocketMode;
  traffic: Traffic;
  faults: FaultQueue;
  retryDelaysMs: readonly number[];
  ackWithinMs: number;
  target: DeliverTo;
};

/** Sends events, commands and interactions to the app, over Socket Mode or HTTP. */
export class Deliveries {
  readonly #deps: DeliveriesDeps;
  readonly #abort = new AbortController();
  readonly #running = new Set<Promise<unknown>>();
  #target: DeliverTo;

  constructor(deps: DeliveriesDeps) {
    this.#deps = deps;
    this.#target = deps.target;
    // Allow any number of listeners, because every waiting retry adds one and Node would warn.
    setMaxListeners(0, this.#abort.signal);
  }

  deliverTo(target: DeliverTo): void {
    this.#target = target;
  }

  /** Sends a command or an interaction in a single attempt. */
  send(delivery: Delivery): Promise<Answer> {
    return this.#track(this.#attempt(delivery));
  }

  /** Sends an event and returns the answer to the first attempt. Retries follow on Slack's schedule. */
  sendEvent(delivery: Delivery): Promise<Answer> {
    const first = this.#track(this.#attempt(delivery));
    void this.#track(this.#retry(delivery, first));
    return first;
  }

  verifyRequestUrl(url: string): Promise<boolean> {
    const { verificationToken } = this.#deps.world.app;
    return this.#track(verifyRequestUrl(this.#at(url), verificationToken, this.#abort.signal));
  }

  /** Resolves when all deliveries and retries are done. */
  async settled(): Promise<void> {
    while (this.#running.size > 0) await Promise.allSettled([...this.#running]);
  }

  async stop(): Promise<void> {
    this.#abort.abort();
    await this.settled();
  }

  async #retry(delivery: Delivery, first: Promise<Answer>): Promise<void> {
    let answer = await first;
    for (const [index, delayMs] of this.#deps.retryDelaysMs.entries()) {
      if (answer.acked || answer.canRetry === false) return;
      await sleep(delayMs, this.#abort.signal);
      if (this.#abort.signal.aborted) return;
      const retry = { attempt: index + 1, reason: answer.reason };
      answer = await this.#attempt({ ...delivery, retry });
    }
  }

  async #attempt(delivery: Delivery): Promise<Answer> {
    const startedMs = Date.now();
    const answer = await this.#sendOnce(delivery);
    const { kind: name, payload: request } = delivery;
    this.#deps.traffic.note({ direction: 'delivery', name, request, answer }, startedMs);
    return answer;
  }

  #sendOnce(delivery: Delivery): Promise<Answer> {
    if (this.#abort.signal.aborted) return Promise.resolve(notConnected);
    const copies = this.#deps.faults.takeDelivery(delivery.kind) ? 2 : 1;
    if (this.#target.mode === 'socket') return this.#deps.socketMode.send(delivery, { copies });
    const target = this.#at(this.#target.url);
    const post = () => deliverByHttp(target, delivery, this.#abort.signal);
    if (copies === 2) void this.#track(post());
    return post();
  }

  #at(url: string) {
    const { world, ackWithinMs } = this.#deps;
    return { url, signingSecret: world.app.signingSecret, ackWithinMs };
  }

  #track<T>(work: Promise<T>): Promise<T> {
    this.#running.add(work);
    const forget = () => this.#running.delete(work);
    work.then(forget, forget);
    return work;
  }
}

type HttpTarget = { url: string; signingSecret: string; ackWithinMs: number };

/** Posts one signed delivery to the app's request URL and waits for the answer. */
async function deliverByHttp(
  { url, signingSecret, ackWithinMs }: HttpTarget,
  delivery: Delivery,
  stop: AbortSignal,
): Promise<Answer> {
  const { body, contentType } = encode(delivery);
  const seconds = String(Math.floor(Date.now() / 1000));
  const headers: Record<string, string> = {
    // Leave out "; charset=utf-8", because Bolt rejects a form that has it.
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
    const canRetry =
      response.headers.get('x-slack-no-retry') === '1' ? { canRetry: false as const } : {};
    return { acked: false, error: 'dispatch_failed', reason: 'http_error', ...canRetry };
  } catch {
    return timeout.aborted ? timedOut : notConnected;
  }
}

/** Sends a challenge to a new request URL. Returns true if the answer contains the challenge. */
async function verifyRequestUrl(
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
