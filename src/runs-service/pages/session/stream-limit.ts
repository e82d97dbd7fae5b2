import { ApiProblem } from '../../api/problem.ts';

const perLink = 20;
const inTotal = 500;

/** Counts the live pages of this process, because each one polls the database. */
export function createStreamLimit() {
  const open = new Map<string, number>();
  let total = 0;
  return {
    /** @throws ApiProblem if too many pages are live */
    enter(link: string): void {
      const count = open.get(link) ?? 0;
      if (count >= perLink || total >= inTotal)
        throw new ApiProblem(
          'rate_limited',
          'Too many people watch this service live. Reload the page to see the current state.',
          { 'retry-after': '30' },
        );
      open.set(link, count + 1);
      total += 1;
    },

    leave(link: string): void {
      const count = (open.get(link) ?? 1) - 1;
      if (count === 0) open.delete(link);
      else open.set(link, count);
      total -= 1;
    },
  };
}
