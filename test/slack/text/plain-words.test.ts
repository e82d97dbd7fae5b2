import { expect, it } from 'vitest';
import { plainWords } from '../../../src/slack/text/typed-text.ts';

it.each([
  [
    'Only <@U1>, who started this run, and <!subteam^S1> can answer.',
    'Only someone, who started this run, and a user group can answer.',
  ],
  [
    '<@U1> already answered this question <!date^1^{time}|2026-11-01 12:00 UTC>: a &lt; b &amp; c',
    'Someone already answered this question 2026-11-01 12:00 UTC: a < b & c',
  ],
])('%s', (mrkdwn, words) => {
  expect(plainWords(mrkdwn)).toBe(words);
});
