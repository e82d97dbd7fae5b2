import type { Logger } from 'base/logger';
import type { FindOutcome, PostOutcome } from './outcomes.ts';

type Unsettled = { outcome: 'unsettled'; checkAgainAt: number };

type Post = {
  /** Start of an earlier try, by `nowMs`; null if there was none. */
  beganAt: number | null;
  /** By Slack's clock: ours may be wrong, or change in between. */
  nowMs(): number;
  /** Records that a try begins. Throws if the lease is lost. */
  begin(now: number): Promise<void>;
  prepare?: (() => Promise<PostOutcome | undefined>) | undefined;
  post(): Promise<PostOutcome>;
  /** Looks for what an interrupted try may have posted. */
  find(): Promise<FindOutcome>;
};

/**
 * Posts something that must appear once: after an interrupted try, looks for it before posting again. "Absent" only counts
 * after a while, because a post may still arrive. See docs/architecture.md.
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

/** A post may still arrive this long after it began: longer than its call may take on a slow network. */
export const postSettledMs = 7_000;

/** Returns the time in ms during which a try may still arrive; 0 if it began by another clock, before Slack's was known. */
export function unsettledMs(beganAt: number, nowMs: number): number {
  const leftMs = beganAt + postSettledMs - nowMs;
  return leftMs > 0 && leftMs < 2 * postSettledMs ? leftMs : 0;
}

type Waiting = Pick<Extract<PostOutcome, { outcome: 'later' }>, 'reason' | 'isQuiet'>;

/** Logs that something waits for Slack: as a warning, or at debug level if the operator can't do anything about it. */
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
