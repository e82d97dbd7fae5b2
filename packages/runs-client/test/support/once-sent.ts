import { vi } from 'vitest';
import type { LossyService } from './lossy-service.ts';

/** Time stands still until the service has the create, and then goes on with the turns of the event loop. */
export async function onceSent<T>(
  { received }: LossyService,
  create: () => PromiseLike<T>,
): Promise<T> {
  vi.useFakeTimers({ toFake: ['Date', 'performance', 'setTimeout', 'clearTimeout'] });
  let isOver = false;
  const turn = () => {
    if (isOver) return;
    if (received.length > 0) vi.advanceTimersByTime(5);
    setImmediate(turn);
  };
  turn();
  try {
    return await create();
  } finally {
    isOver = true;
    vi.useRealTimers();
  }
}
