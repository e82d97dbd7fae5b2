/** Creates a lock that runs work with the same key one at a time. A failure doesn't stop the next work. */
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
   * Runs the work after all earlier work with this key.
   * @throws the signal's reason if the signal aborts before this work's turn. Work that has begun isn't interrupted.
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
