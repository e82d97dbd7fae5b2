/**
 * Shares flushes among callers. A flush starts at the end of the event loop's turn, or after the current flush, which
 * may have missed recent writes.
 * @returns a function that resolves when everything written before the call is on disk
 */
export function shareFlush(flush: () => Promise<void>): () => Promise<void> {
  let running = Promise.resolve();
  let next: Promise<void> | undefined;
  return () => {
    next ??= running.then(endOfTurn).then(() => {
      next = undefined;
      const flushed = flush();
      running = flushed.catch(() => undefined);
      return flushed;
    });
    return next;
  };
}

const endOfTurn = () => new Promise<void>((resolve) => setImmediate(resolve));
