import type { Logger } from 'base/logger';
import type { FindOutcome, PostOutcome } from './outcomes.ts';

type Unsettled = { outcome: 'unsettled'; checkAgainAt: number };

type Post = {
  /** Start of an earlier try by the clock of `nowMs`, or null if there was none. */
  beganAt: number | null;
  /** Returns the time by Slack's clock, because this machine's clock may be wrong or be changed. */
  nowMs(): number;
  /**
   * Records that a try begins.
   * @throws LeaseLost
   */
  begin(now: number): Promise<void>;
  prepare?: (() => Promise<PostOutcome | undefined>) | undefined;
  post(): Promise<PostOutcome>;
  /** Searches for the post of an interrupted try. */
  find(): Promise<FindOutcome>;
};

/**
 * Posts something exactly once. After an interrupted try, searches for the post before posting again. Waits until an
 * earlier try can't arrive anymore. See docs/architecture.md.
 */
export async function postOnce({
  beganAt,
  nowMs,
  begin,
  prepare,
  post,
  find,
}: Post): Promise<PostOutcome | Unsettled> {
  if (beganAt !== null) {
    const found = await find();
    if (found.outcome === 'later') return { ...found, isUndone: undefined };
    if (found.outcome !== 'absent') return found;
    const leftMs = unsettledMs(beganAt, nowMs());
    if (leftMs > 0) return { outcome: 'unsettled', checkAgainAt: Date.now() + leftMs };
  }
  const early = await prepare?.();
  if (early) return early;
  await begin(nowMs());
  return post();
}

/** Time within which a post may still arrive, in ms. Longer than a call can take on a slow network. */
export const postSettledMs = 7_000;

/**
 * Returns how long a try may still arrive, in ms. Returns 0 if `beganAt` is from another clock, which is used until
 * Slack's clock is known.
 */
export function unsettledMs(beganAt: number, nowMs: number): number {
  const leftMs = beganAt + postSettledMs - nowMs;
  return leftMs > 0 && leftMs < 2 * postSettledMs ? leftMs : 0;
}

type Waiting = Pick<Extract<PostOutcome, { outcome: 'later' }>, 'reason' | 'isQuiet'>;

/** Logs that a post waits for Slack. Uses debug level if the operator can't act on it, otherwise a warning. */
export function logWaiting(
  logger: Logger,
  { reason, isQuiet }: Waiting,
  about: Readonly<Record<string, string>>,
  what: string,
): void {
  const line = { ...about, reason };
  if (isQuiet) logger.debug(line, what);
  else logger.warn(line, what);
}
