import { setMaxListeners } from 'node:events';
import type { FaultQueue } from '../faults/faults.ts';
import { sleep } from '../lib/sleep.ts';
import type { World } from '../world/world.ts';
import { type Answer, type Delivery, notConnected } from './delivery.ts';
import { deliverByHttp, verifyRequestUrl } from './http-delivery.ts';
import type { SocketMode } from './socket-mode.ts';
import type { Traffic } from './traffic.ts';

export type DeliverTo = { mode: 'socket' } | { mode: 'http'; url: string };

/** Slack retries an event at once, after a minute and after five. */
export const slackRetryDelaysMs: readonly number[] = [1000, 60_000, 300_000];

type Parts = {
  world: World;
  socketMode: SocketMode;
  traffic: Traffic;
  faults: FaultQueue;
  retryDelaysMs: readonly number[];
  ackWithinMs: number;
  target: DeliverTo;
};

/** Sends everything to the app, over Socket Mode or HTTP. */
export class Deliveries {
  readonly #parts: Parts;
  readonly #abort = new AbortController();
  readonly #running = new Set<Promise<unknown>>();
  #target: DeliverTo;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#target = parts.target;
    // Every waiting retry listens to it.
    setMaxListeners(0, this.#abort.signal);
  }

  deliverTo(target: DeliverTo): void {
    this.#target = target;
  }

  /** Commands and interactions: one attempt. */
  send(delivery: Delivery): Promise<Answer> {
    return this.#track(this.#attempt(delivery));
  }

  /** Events: returns the answer to the first attempt; retries follow on Slack's schedule. */
  sendEvent(delivery: Delivery): Promise<Answer> {
    const first = this.#track(this.#attempt(delivery));
    void this.#track(this.#retry(delivery, first));
    return first;
  }

  verifyRequestUrl(url: string): Promise<boolean> {
    const { verificationToken } = this.#parts.world.app;
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
    for (const [index, delayMs] of this.#parts.retryDelaysMs.entries()) {
      if (answer.acked || answer.mayRetry === false) return;
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
    this.#parts.traffic.note({ direction: 'delivery', name, request, answer }, startedMs);
    return answer;
  }

  #sendOnce(delivery: Delivery): Promise<Answer> {
    if (this.#abort.signal.aborted) return Promise.resolve(notConnected);
    const copies = this.#parts.faults.takeDelivery(delivery.kind) ? 2 : 1;
    if (this.#target.mode === 'socket') return this.#parts.socketMode.send(delivery, { copies });
    const target = this.#at(this.#target.url);
    const post = () => deliverByHttp(target, delivery, this.#abort.signal);
    if (copies === 2) void this.#track(post());
    return post();
  }

  #at(url: string) {
    const { world, ackWithinMs } = this.#parts;
    return { url, signingSecret: world.app.signingSecret, ackWithinMs };
  }

  #track<T>(work: Promise<T>): Promise<T> {
    this.#running.add(work);
    const forget = () => this.#running.delete(work);
    work.then(forget, forget);
    return work;
  }
}
