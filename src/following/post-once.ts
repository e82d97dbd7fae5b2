import { postSettledMs } from './progress.ts';
import type { FindOutcome, PostOutcome } from './run-messages.ts';

export type Unsettled = { outcome: 'unsettled'; lookAgainAt: number };

type Post = {
  /** When an earlier try began, by `nowMs`; null when there was none. */
  beganAt: number | null;
  /** By the clock of the place where it is posted: ours may be off, or be set meanwhile. */
  nowMs(): number;
  /** Writes down durably that a try begins. Throws when it is no longer ours to make. */
  begin(now: number): Promise<void>;
  post(): Promise<PostOutcome>;
  /** Looks for what an interrupted try may have left behind. */
  find(): Promise<FindOutcome>;
};

/**
 * Posts something that must appear once: after an interrupted try, looks for it before posting again. "Absent" is only
 * believed after a while, because a post may still be on its way. See
 * docs/decisions/004-posts-are-looked-for-before-they-are-repeated.md.
 */
export async function postOnce({
  beganAt,
  nowMs,
  begin,
  post,
  find,
}: Post): Promise<PostOutcome | Unsettled> {
  if (beganAt !== null) {
    const found = await find();
    if (found.outcome === 'later') return { ...found, isUndone: undefined };
    if (found.outcome !== 'absent') return found;
    const unsettledMs = beganAt + postSettledMs - nowMs();
    // More than the whole time: it began by another clock, before the right one was known.
    if (unsettledMs > 0 && unsettledMs < 2 * postSettledMs)
      return { outcome: 'unsettled', lookAgainAt: Date.now() + unsettledMs };
  }
  await begin(nowMs());
  return post();
}
