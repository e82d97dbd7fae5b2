/** A post may still arrive this long after it began: longer than its call may take on a slow network. */
export const postSettledMs = 7_000;
