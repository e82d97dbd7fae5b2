/**
 * Returns the result of `work`, or undefined after `timeoutMs`. Without one it only waits. The work itself isn't
 * aborted.
 */
export async function withSoftTimeout<T>(
  work: Promise<T>,
  timeoutMs: number | undefined,
): Promise<T | undefined> {
  if (timeoutMs === undefined) return await work;
  // A plain timer, because every form uses this function and a signal that ends a `sleep` costs more than all the
  // rest.
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
