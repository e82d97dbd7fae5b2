/** A post may still arrive this long after it began: longer than its call may take on a slow network. */
export const postSettledMs = 7_000;

/** How long a try may still arrive. 0 also if it began by another clock: before Slack's was known, or it was set back. */
export function unsettledMs(beganAt: number, nowMs: number): number {
  const leftMs = beganAt + postSettledMs - nowMs;
  return leftMs > 0 && leftMs < 2 * postSettledMs ? leftMs : 0;
}
