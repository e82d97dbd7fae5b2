import type { ChangeFeed } from '../../api/feed/change-feed.ts';
import type { WorkerContext } from './worker-access.ts';

type Waiting = {
  feed: ChangeFeed;
  runId: string;
  maxMs: number;
  /** The caller left, or the service stops. */
  signal: AbortSignal;
};

export type WaitingOptions = { feed: ChangeFeed; stopping: AbortSignal };

export const waiting = (
  { feed, stopping }: WaitingOptions,
  context: WorkerContext,
  maxMs: number,
): Waiting => ({
  feed,
  runId: context.get('run').id,
  maxMs,
  signal: AbortSignal.any([context.req.raw.signal, stopping]),
});

/** Reads until there is an answer, again after each change of the run, and once more when the time is over. */
export async function readUntil<T>(
  { feed, runId, maxMs, signal }: Waiting,
  read: () => Promise<T>,
  isAnswer: (found: T) => boolean,
): Promise<T> {
  const first = await read();
  if (isAnswer(first) || maxMs <= 0 || signal.aborted) return first;
  const ended = AbortSignal.any([signal, AbortSignal.timeout(maxMs)]);
  const sees = ({ id }: { id: string }) => id === runId;
  const changes = feed.follow({
    from: undefined,
    sees,
    waitMs: maxMs,
    signal: ended,
    onTooSlow: () => undefined,
  });
  for await (const _ of changes) {
    const found = await read();
    if (isAnswer(found)) return found;
  }
  return read();
}
