/** Runs work with the same key one at a time. If one fails, the next still runs. */
export function createKeyedLock() {
  const last = new Map<string, Promise<unknown>>();
  return function withLock<T>(key: string, work: () => Promise<T>): Promise<T> {
    const turn = (last.get(key) ?? Promise.resolve()).then(work, work);
    const settled = turn
      .catch(() => undefined)
      .then(() => {
        if (last.get(key) === settled) last.delete(key);
      });
    last.set(key, settled);
    return turn;
  };
}
