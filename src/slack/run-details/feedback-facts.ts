import type { Rating } from '../../store/requests/run-feedback.ts';
import { countRatings } from '../runs/showing/buttons/run-feedback.ts';
import type { Fact } from './configuration-facts.ts';

/** How people rated the result, without names, and how the reader did. */
export function feedbackFacts(ratings: readonly Rating[], readerId: string): Fact[] {
  if (ratings.length === 0) return [];
  const { good, bad } = countRatings(ratings);
  const own = ratings.find(({ userId }) => userId === readerId);
  return [
    ['Ratings', `${good} good, ${bad} bad`],
    ['Yours', own && (own.isGood ? 'good' : 'bad')],
  ];
}
