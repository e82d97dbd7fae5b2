import { WebAPIPlatformError } from '@slack/web-api';
import { expect, it } from 'vitest';
import { readSlackFailure } from '../../../src/slack/posting/slack-failure.ts';
import { useRunInSlack } from '../../support/posting/run-in-slack.ts';

const { start } = useRunInSlack();
function outcomeWithout(needed: string) {
  const answer = { ok: false, error: 'missing_scope', needed };
  return readSlackFailure(new WebAPIPlatformError(answer)).outcome;
}

it('only a call that needs chat:write waits for its scope', () => {
  for (const needed of ['chat:write', 'chat:write:bot'])
    expect(outcomeWithout(needed), needed).toBe('later');
  for (const needed of ['chat:write.public', 'users:read', 'channels:read,groups:read'])
    expect(outcomeWithout(needed), needed).toBe('rejected');
});

it('a missing scope keeps no run from starting, and its message is posted once Slack takes it', async () => {
  const bot = await start();
  await bot.reject('chat.postMessage', 'missing_scope');
  await bot.works();
  expect(await bot.message()).toMatchObject({ state: 'posted' });
  bot.end();
  await bot.works();
  await bot.works();
  expect(bot.shown()).toEqual([
    ['here', 'Succeeded'],
    ['here', expect.stringContaining('✅ Succeeded')],
  ]);
});
