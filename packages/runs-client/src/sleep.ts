import { setTimeout } from 'node:timers/promises';

/** Waits `ms` milliseconds. If `signal` aborts, fails immediately with the signal's reason. */
export async function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  await setTimeout(ms, undefined, { signal }).catch(() => signal?.throwIfAborted());
}
