import type { Random } from '../random.ts';

/** A process of the simulation: one replica of the bot, with its own clock error. */
export type Owner = {
  readonly name: string;
  skewMs: number;
  frozenUntil: number;
  isDead: boolean;
  /** Number of handled events. Crashes happen between two of them. */
  steps: number;
  /** Called with the number of steps after each event. */
  afterStep?: ((steps: number) => void) | undefined;
};

export type Scheduled = {
  at: number;
  order: number;
  owner: Owner | undefined;
  run: (() => void) | undefined;
};

/** Usual start of the simulated time, in epoch ms. */
const usualStartMs = Date.UTC(2026, 0, 5, 9);

/** Waits until Node has run everything that an event queued. */
const realSetImmediate = setImmediate;
const endOfTurn = () => new Promise<void>((resolve) => realSetImmediate(resolve));

/**
 * Runs virtual time: a queue of events, the soonest first. Events of different owners at the same time run in random
 * order.
 */
export class Scheduler {
  readonly #random: Random;
  readonly #queue: Scheduled[] = [];
  readonly #startMs: number;
  #nowMs: number;
  #order = 0;
  /** The process that works now. Undefined outside of the bots. */
  current: Owner | undefined;
  events = 0;

  constructor(random: Random, startMs = usualStartMs) {
    this.#random = random;
    this.#startMs = startMs;
    this.#nowMs = startMs;
  }

  /** Simulated time in epoch ms. */
  get nowMs(): number {
    return this.#nowMs;
  }

  get sinceStartMs(): number {
    return this.#nowMs - this.#startMs;
  }

  /** Time by the clock of the process that asks. */
  get clockMs(): number {
    return Math.floor(this.#nowMs + (this.current?.skewMs ?? 0));
  }

  in(delayMs: number, owner: Owner | undefined, run: () => void): Scheduled {
    this.#order += 1;
    const event = { at: this.#nowMs + Math.max(0, delayMs), order: this.#order, owner, run };
    this.#push(event);
    return event;
  }

  /** Schedules a timer with a small random delay, so that timers of different processes meet in any order. */
  timer(delayMs: number, run: () => void): Scheduled {
    return this.in(delayMs + this.#random.next(), this.current, run);
  }

  /**
   * Runs one event.
   * @returns false if none is due until then
   */
  async step(untilMs: number): Promise<boolean> {
    for (;;) {
      const [next] = this.#queue;
      if (next === undefined || next.at > untilMs) {
        this.#nowMs = Math.max(this.#nowMs, untilMs);
        return false;
      }
      this.#pop();
      const { owner, run } = next;
      if (run === undefined || owner?.isDead) continue;
      if (owner && owner.frozenUntil > next.at) {
        this.#push({ ...next, at: owner.frozenUntil });
        continue;
      }
      this.#nowMs = next.at;
      this.events += 1;
      this.current = owner;
      run();
      await endOfTurn();
      this.current = undefined;
      if (owner) {
        owner.steps += 1;
        owner.afterStep?.(owner.steps);
      }
      return true;
    }
  }

  #push(event: Scheduled): void {
    const queue = this.#queue;
    let at = queue.push(event) - 1;
    while (at > 0) {
      const above = (at - 1) >> 1;
      const other = queue[above];
      if (other === undefined || !isSooner(event, other)) break;
      queue[at] = other;
      at = above;
    }
    queue[at] = event;
  }

  #pop(): void {
    const queue = this.#queue;
    const last = queue.pop();
    if (last === undefined || queue.length === 0) return;
    let at = 0;
    for (;;) {
      const [left, right] = [queue[2 * at + 1], queue[2 * at + 2]];
      if (left === undefined) break;
      const isRight = right !== undefined && isSooner(right, left);
      const sooner = isRight ? right : left;
      if (!isSooner(sooner, last)) break;
      queue[at] = sooner;
      at = isRight ? 2 * at + 2 : 2 * at + 1;
    }
    queue[at] = last;
  }
}

const isSooner = (one: Scheduled, other: Scheduled) =>
  one.at < other.at || (one.at === other.at && one.order < other.order);
