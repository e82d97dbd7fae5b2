/** Only recent runs can be mistaken for each other. */
const mostClaims = 10_000;

export type RunClaims = ReturnType<typeof createRunClaims>;

/**
 * The runs that the creates of one client got, and the creates in progress. If a service keeps no metadata, only this
 * stops one of two identical creates from taking the other's run.
 */
export function createRunClaims() {
  const claimed = new Set<string>();
  const posting = new Map<string, number>();
  return {
    /** Marks a create as in progress until the returned function is called. */
    startPosting(contentKey: string): () => void {
      posting.set(contentKey, (posting.get(contentKey) ?? 0) + 1);
      return () => {
        const left = (posting.get(contentKey) ?? 1) - 1;
        if (left > 0) posting.set(contentKey, left);
        else posting.delete(contentKey);
      };
    },
    isPosting: (contentKey: string) => posting.has(contentKey),
    /** Takes the run for a create; false if another create has it. */
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
