import type { SlackBudget } from '../../../src/slack/posting/slack-budget.ts';

/** Budget for a Slack without rate limits. */
export const unlimitedBudget: SlackBudget = {
  take: () => 0,
  takeShared: async () => 0,
  reserve: () => 0,
  pause: () => undefined,
};
