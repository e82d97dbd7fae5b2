/**
 * Returns the result of `work`, or undefined after `timeoutMs`. If `timeoutMs` is undefined, waits until the work ends.
 * The work itself isn't aborted.
 */
export async function withSoftTimeout<T>(
  work: Promise<T>,
  timeoutMs: number | undefined,
): Promise<T | undefined> {
  if (timeoutMs === undefined) return await work;
  // Use a plain timer instead of `sleep`, because every form calls this function and `sleep` with a signal is slow.
  let timer: NodeJS.Timeout | undefined;
  const timedOut = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), timeoutMs);
  });
  try {
    return await Promise.race([work, timedOut]);
  } finally {
    clearTimeout(timer);
  }
}
