/** The result of `work`, or undefined after `timeoutMs`, if that is given. The work itself isn't aborted. */
export async function withSoftTimeout<T>(
  work: Promise<T>,
  timeoutMs: number | undefined,
): Promise<T | undefined> {
  if (timeoutMs === undefined) return await work;
  // A bare timer: every form passes here, and a signal that ends a `sleep` costs more than the rest of this.
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
