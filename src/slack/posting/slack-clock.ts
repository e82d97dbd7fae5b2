import { createRemoteClock } from 'runs-client/remote-clock';

export type SlackClock = ReturnType<typeof createSlackClock>;

/** Slack's time, from the `Date` of its answers and the `ts` of what we post: messages are searched by it. */
export function createSlackClock(ownMs: () => number = () => Date.now()) {
  const remote = createRemoteClock();
  const nowMs = (): number => remote.nowMs() ?? ownMs();
  return {
    /** Epoch milliseconds; by our own clock until Slack has answered once. */
    nowMs,
    readDate: (date: string | null): void => void remote.readDate(date),
    readTs: (ts: string): void => remote.learn(Number(ts) * 1000),
    /** When something was that happened at this time by our own clock; never later than now. */
    fromOwnMs: (atMs: number): number => nowMs() - Math.max(0, ownMs() - atMs),
  };
}
