import type { WebClient } from '@slack/web-api';
import { expect, it } from 'vitest';
import { createPostCheck } from '../../../src/slack/posting/post-check.ts';

const check = (channel: object) => {
  const info = async () => ({ ok: true, channel });
  return createPostCheck({ conversations: { info } } as unknown as WebClient, 60_000)('C1');
};

it('asks Slack once about a channel that the app can post in', async () => {
  let asked = 0;
  const info = async () => {
    asked += 1;
    return { ok: true, channel: { is_member: true } };
  };
  const checkPosting = createPostCheck({ conversations: { info } } as unknown as WebClient, 60_000);
  await checkPosting('C1');
  await checkPosting('C1');
  expect(asked).toBe(1);
});

it('accepts a group DM that the app is in', async () => {
  expect(await check({ is_mpim: true, is_private: true })).toBeUndefined();
});

it("says that /invite doesn't work in a group DM", async () => {
  const sentence = await check({ is_private: true, is_member: false });
  expect(sentence).toContain('/invite @agent');
  expect(sentence).toContain('not in a group DM');
});
