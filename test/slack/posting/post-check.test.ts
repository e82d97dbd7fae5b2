import type { WebClient } from '@slack/web-api';
import { expect, it } from 'vitest';
import { createPostCheck } from '../../../src/slack/posting/channel-checks.ts';

const createCheck = (info: () => Promise<object>, missing = '') =>
  createPostCheck(
    {
      client: { conversations: { info } } as unknown as WebClient,
      granted: { has: (scope) => scope !== missing },
    },
    60_000,
  );

const check = (channel: object, missing?: string) =>
  createCheck(async () => ({ ok: true, channel }), missing)('C1');

it('asks Slack once about a channel that the app can post in', async () => {
  let asked = 0;
  const info = async () => {
    asked += 1;
    return { ok: true, channel: { is_member: true } };
  };
  const checkPosting = createCheck(info);
  await checkPosting('C1');
  await checkPosting('C1');
  expect(asked).toBe(1);
});

it('accepts a group DM that the app is in', async () => {
  expect(await check({ is_mpim: true, is_private: true })).toBeUndefined();
});

it("says that /invite doesn't work in direct messages", async () => {
  const sentence = await check({ is_private: true, is_member: false });
  expect(sentence).toContain('/invite @agent');
  expect(sentence).toContain("In direct messages, /invite doesn't work");
});

it("doesn't accept a public channel that the app isn't in, if Slack doesn't let it post there", async () => {
  const outside = { is_private: false, is_member: false };
  expect(await check(outside)).toBeUndefined();
  expect(await check(outside, 'chat:write.public')).toContain('/invite @agent');
  expect(await check({ ...outside, is_member: true }, 'chat:write.public')).toBeUndefined();
});
