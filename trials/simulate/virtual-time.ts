/**
 * Replaces timers, clocks and randomness of this process, so that a seed decides them. Call it before the bot's modules
 * are loaded, in a process that does nothing else.
 */
import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import timersPromises from 'node:timers/promises';
import type { Random } from '../random.ts';
import { PlainAbortController, PlainAbortSignal } from './plain-abort.ts';
import type { Scheduled, Scheduler } from './scheduler.ts';

export type VirtualTime = { use(scheduler: Scheduler, random: Random): void };

/** Replaces the result of `setTimeout`. `ref` and `unref` do nothing, because nothing keeps this process alive. */
class Timer {
  readonly scheduled: Scheduled;
  constructor(scheduled: Scheduled) {
    this.scheduled = scheduled;
  }
  ref(): this {
    return this;
  }
  unref(): this {
    return this;
  }
  hasRef(): boolean {
    return true;
  }
}

export function installVirtualTime(): VirtualTime {
  let used: { scheduler: Scheduler; random: Random } | undefined;
  const now = () => {
    if (!used) throw new Error('no simulation has begun');
    return used;
  };
  const RealDate = Date;
  class VirtualDate extends RealDate {
    constructor(...given: [] | [string | number | Date]) {
      super(...((given.length === 0 ? [VirtualDate.now()] : given) as [number]));
    }
    static override now = () => used?.scheduler.clockMs ?? RealDate.now();
  }
  const clear = (timer: unknown) => {
    if (timer instanceof Timer) timer.scheduled.run = undefined;
  };
  const setTimeout = (run: (...given: unknown[]) => void, ms = 0, ...given: unknown[]) =>
    new Timer(now().scheduler.timer(Math.max(1, Number(ms) || 0), () => run(...given)));
  const setImmediate = (run: (...given: unknown[]) => void, ...given: unknown[]) => {
    const { scheduler } = now();
    return new Timer(scheduler.in(0, scheduler.current, () => run(...given)));
  };
  const noIntervals = () => {
    throw new Error('setInterval has no virtual time');
  };
  Object.assign(globalThis, {
    Date: VirtualDate,
    setTimeout,
    setImmediate,
    setInterval: noIntervals,
    clearTimeout: clear,
    clearImmediate: clear,
    clearInterval: clear,
    AbortController: PlainAbortController,
    AbortSignal: PlainAbortSignal,
  });
  performance.now = () => now().scheduler.sinceStartMs;
  Math.random = () => now().random.next();
  AbortSignal.timeout = (ms) => {
    const over = new AbortController();
    setTimeout(() => over.abort(new DOMException('timed out', 'TimeoutError')), ms);
    return over.signal;
  };
  Object.assign(timersPromises, {
    setTimeout: (ms: number, value: unknown, { signal }: { signal?: AbortSignal } = {}) =>
      new Promise((resolve, reject) => {
        const stop = () => {
          clear(timer);
          reject(new DOMException('aborted', 'AbortError'));
        };
        const timer = setTimeout(() => {
          signal?.removeEventListener('abort', stop);
          resolve(value);
        }, ms);
        if (signal?.aborted) stop();
        else signal?.addEventListener('abort', stop, { once: true });
      }),
  });
  const randomBytes = (size: number) =>
    Buffer.from(Array.from({ length: size }, () => now().random.below(256)));
  const randomUUID = () => {
    const hex = randomBytes(16).toString('hex');
    return [8, 12, 16, 20].reduceRight((id, at) => `${id.slice(0, at)}-${id.slice(at)}`, hex);
  };
  Object.assign(crypto, { randomBytes, randomUUID });
  syncBuiltinESMExports();
  return {
    use(scheduler, random) {
      used = { scheduler, random };
    },
  };
}
