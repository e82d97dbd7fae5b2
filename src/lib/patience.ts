/** What `work` gives, or undefined when it takes longer than that: for what a waiting person can do without. */
export async function withPatience<T>(
  work: Promise<T>,
  patienceMs: number,
): Promise<T | undefined> {
  // A bare timer: every form passes here, and a signal that ends a `sleep` costs more than the rest of this.
  let timer: NodeJS.Timeout | undefined;
  const tooLong = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), patienceMs);
  });
  try {
    return await Promise.race([work, tooLong]);
  } finally {
    clearTimeout(timer);
  }
}
