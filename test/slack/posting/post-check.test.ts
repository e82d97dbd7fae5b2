import type { WebClient } from '@slack/web-api';
import { expect, it } from 'vitest';
import { createPostCheck } from '../../../src/slack/posting/post-check.ts';

const check = (channel: object) => {
  const info = async () => ({ ok: true, channel });
  return createPostCheck({ conversations: { info } } as unknown as WebClient)('C1');
};

it('takes a group DM that the app is in', async () => {
  expect(await check({ is_mpim: true, is_private: true })).toBeUndefined();
});

it('says that a group DM takes no /invite', async () => {
  const sentence = await check({ is_private: true, is_member: false });
  expect(sentence).toContain('/invite @agent');
  expect(sentence).toContain('not in a group DM');
});
