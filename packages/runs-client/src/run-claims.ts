/** How many run ids are remembered; only recent ones can be mistaken for another's. */
const mostClaims = 10_000;

export type RunClaims = ReturnType<typeof createRunClaims>;

/**
 * Which runs the creates of one client have taken, and which creates are on their way. Without metadata, two identical
 * creates can only be told apart by that: neither may take the other's run for its own.
 */
export function createRunClaims() {
  const claimed = new Set<string>();
  const posting = new Map<string, number>();
  return {
    /** Marks a create as sent and unanswered, until the returned function is called. */
    startPosting(contentKey: string): () => void {
      posting.set(contentKey, (posting.get(contentKey) ?? 0) + 1);
      return () => {
        const left = (posting.get(contentKey) ?? 1) - 1;
        if (left > 0) posting.set(contentKey, left);
        else posting.delete(contentKey);
      };
    },
    isPosting: (contentKey: string) => posting.has(contentKey),
    /** Whether the run was free, and now belongs to the asker. */
    claim(runId: string): boolean {
      if (claimed.has(runId)) return false;
      claimed.add(runId);
      if (claimed.size > mostClaims) {
        const [oldest] = claimed;
        if (oldest !== undefined) claimed.delete(oldest);
      }
      return true;
    },
    isClaimed: (runId: string) => claimed.has(runId),
  };
}
