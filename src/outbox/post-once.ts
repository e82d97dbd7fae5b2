import type { FindOutcome, PostOutcome } from './outcomes.ts';
import { unsettledMs } from './unsettled.ts';

type Unsettled = { outcome: 'unsettled'; lookAgainAt: number };

type Post = {
  /** When an earlier try began, by `nowMs`; null if there was none. */
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
 * after a while, because a post may still arrive. See docs/protocol.md.
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
    if (leftMs > 0) return { outcome: 'unsettled', lookAgainAt: Date.now() + leftMs };
  }
  const early = await prepare?.();
  if (early) return early;
  await begin(nowMs());
  return post();
}
