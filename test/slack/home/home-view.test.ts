import { expect, it } from 'vitest';
import { renderCounts } from '../../../src/slack/home/home-view.ts';
import { textOf } from '../../support/product/product.ts';

const nothing = { live: 0, succeeded: 0, failed: 0, cancelled: 0, notStarted: 0 };

it.each([
  [
    { succeeded: 1, failed: 1, cancelled: 2, notStarted: 4 },
    '50% success rate (succeeded vs. failed)',
  ],
  [{ succeeded: 3, cancelled: 9 }, '100% success rate'],
])('the share of %o is of those that succeeded or failed', (counts, share) => {
  const text = textOf(renderCounts({ ...nothing, ...counts }));
  expect(text).toContain(`"Runs from Slack this week  ·  ${share}`);
});

it('there is no share while no run succeeded or failed', () => {
  const text = textOf(renderCounts({ ...nothing, cancelled: 2, notStarted: 1 }));
  expect(text).toContain('2 canceled  ·  ⚠️ 1 not started');
  expect(text).not.toContain('%');
});
