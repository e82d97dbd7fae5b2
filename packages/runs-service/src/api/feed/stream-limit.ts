import { ApiProblem } from '../problem.ts';

type StreamLimitOptions = {
  each: number;
  inTotal: number;
  /** Says what to do when there are too many. */
  refusal: string;
};

/** Counts the open streams of this process, because each one costs reads of the database. */
export function createStreamLimit({ each, inTotal, refusal }: StreamLimitOptions) {
  const open = new Map<string, number>();
  let total = 0;
  return {
    /** @throws ApiProblem if there are too many streams, of this key or in total */
    enter(key: string): void {
      const count = open.get(key) ?? 0;
      if (count >= each || total >= inTotal)
        throw new ApiProblem('rate_limited', refusal, { 'retry-after': '30' });
      open.set(key, count + 1);
      total += 1;
    },

    leave(key: string): void {
      const count = (open.get(key) ?? 1) - 1;
      if (count === 0) open.delete(key);
      else open.set(key, count);
      total -= 1;
    },
  };
}
