import { createRemoteClock } from 'runs-client/remote-clock';

export type SlackClock = ReturnType<typeof createSlackClock>;

/** Creates a clock of Slack's time, for searching messages. Reads it from `Date` headers and the `ts` of posts. */
export function createSlackClock(ownMs: () => number = () => Date.now()) {
  const remote = createRemoteClock();
  const nowMs = (): number => remote.nowMs() ?? ownMs();
  return {
    /** Returns Slack's time in epoch ms, or the local time until Slack's first answer. */
    nowMs,
    readDate: (date: string | null): void => void remote.readDate(date),
    readTs: (ts: string): void => remote.learn(Number(ts) * 1000),
    /** Converts a time of the local clock to Slack's, never later than now. */
    fromOwnMs: (atMs: number): number => nowMs() - Math.max(0, ownMs() - atMs),
  };
}
