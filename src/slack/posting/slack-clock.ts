import { createRemoteClock } from 'runs-client/remote-clock';

export type SlackClock = ReturnType<typeof createSlackClock>;

/** Slack's time, from the `Date` header of its answers and the `ts` of posts. Used to search for messages. */
export function createSlackClock(ownMs: () => number = () => Date.now()) {
  const remote = createRemoteClock();
  const nowMs = (): number => remote.nowMs() ?? ownMs();
  return {
    /** Epoch milliseconds. Uses the local clock until Slack's first answer. */
    nowMs,
    readDate: (date: string | null): void => void remote.readDate(date),
    readTs: (ts: string): void => remote.learn(Number(ts) * 1000),
    /** Converts a time of the local clock; never later than now. */
    fromOwnMs: (atMs: number): number => nowMs() - Math.max(0, ownMs() - atMs),
  };
}
