/** A change in the workspace. The page, the state file and waiting tests react to it. */
export type Change =
  | { type: 'message'; channelId: string; ts: string }
  | { type: 'channel'; channelId: string }
  | { type: 'session'; channelId: string; threadTs: string }
  | { type: 'modals'; userId: string }
  | { type: 'home'; userId: string }
  | { type: 'flexpane'; userId: string }
  | { type: 'installation'; teamId: string }
  | { type: 'workflow'; executionId: string }
  | { type: 'socket'; connections: number }
  | { type: 'traffic'; id: number };

export type Listener = (change: Change) => void;

export function createChanges() {
  const listeners = new Set<Listener>();
  return {
    /** Adds a listener. Returns a function that removes it. */
    subscribe(listener: Listener): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    emit(change: Change): void {
      for (const listener of [...listeners]) listener(change);
    },
  };
}
export type Changes = ReturnType<typeof createChanges>;

/**
 * Waits until `condition` returns a value. Checks the condition after every change of the workspace, without polling.
 * Before failing, checks it once more, because other changes emit nothing.
 */
export function until<T>(
  changes: Changes,
  condition: () => T | undefined | null | false,
  { timeoutMs = 240_000 }: { timeoutMs?: number } = {},
): Promise<T> {
  return new Promise((resolve, reject) => {
    const finish = (settle: () => void) => {
      clearTimeout(timer);
      end();
      settle();
    };
    const check = (): boolean => {
      try {
        const found = condition();
        if (!found) return false;
        finish(() => resolve(found));
      } catch (error) {
        finish(() => reject(error));
      }
      return true;
    };
    const end = changes.subscribe(() => void check());
    const timer = setTimeout(() => {
      if (check()) return;
      const problem = new Error(`nothing after ${timeoutMs} ms: ${condition.toString()}`);
      finish(() => reject(problem));
    }, timeoutMs);
    check();
  });
}
