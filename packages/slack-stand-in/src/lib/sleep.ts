import { setTimeout } from 'node:timers/promises';

/** Waits for `ms`. When the signal aborts, resolves early and without an error. */
export const sleep = (ms: number, signal: AbortSignal): Promise<void> =>
  setTimeout(ms, undefined, { signal }).catch(() => undefined);
