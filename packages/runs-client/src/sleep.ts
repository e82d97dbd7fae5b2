import { setTimeout } from 'node:timers/promises';

/** Waits. Fails with the signal's own reason as soon as it aborts. */
export async function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  await setTimeout(ms, undefined, { signal }).catch(() => signal?.throwIfAborted());
}
