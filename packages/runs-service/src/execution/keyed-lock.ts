/** Creates a lock that runs functions with the same key one at a time. If one fails, the next one still runs. */
export function createKeyedLock() {
  const last = new Map<string, Promise<unknown>>();

  function enqueue<T>(key: string, work: () => Promise<T>): Promise<T> {
    const turn = (last.get(key) ?? Promise.resolve()).then(work, work);
    const settled = turn
      .catch(() => undefined)
      .then(() => {
        if (last.get(key) === settled) last.delete(key);
      });
    last.set(key, settled);
    return turn;
  }

  /**
   * Runs `work` after all earlier work with the same key has ended.
   * @throws the signal's reason if the signal aborts before `work` begins. Once it has begun, it isn't interrupted.
   */
  return function withLock<T>(
    key: string,
    work: () => Promise<T>,
    signal?: AbortSignal,
  ): Promise<T> {
    if (!signal) return enqueue(key, work);
    return new Promise((resolve, reject) => {
      const giveUp = () => reject(signal.reason);
      signal.addEventListener('abort', giveUp, { once: true });
      const begin = () => {
        signal.removeEventListener('abort', giveUp);
        signal.throwIfAborted();
        return work();
      };
      if (signal.aborted) giveUp();
      enqueue(key, async () => begin()).then(resolve, reject);
    });
  };
}
