import { setTimeout } from 'node:timers/promises';

/** Waits for `ms`. Resolves early and without an error when the signal aborts. */
export const sleep = (ms: number, signal: AbortSignal): Promise<void> =>
  setTimeout(ms, undefined, { signal }).catch(() => undefined);
