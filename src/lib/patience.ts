import { sleep } from './sleep.ts';

/** What `work` gives, or undefined when it takes longer than that: for what a waiting person can do without. */
export async function withPatience<T>(
  work: Promise<T>,
  patienceMs: number,
): Promise<T | undefined> {
  const waiting = new AbortController();
  try {
    return await Promise.race([work, sleep(patienceMs, waiting.signal).then(() => undefined)]);
  } finally {
    waiting.abort();
  }
}
