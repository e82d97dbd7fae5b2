import { WebAPIPlatformError } from '@slack/web-api';
import { describe, expect, it } from 'vitest';
import {
  needsAdmin,
  outcomeOf,
  readSlackFailure,
  slackOutcomes,
} from '../../../src/slack/posting/slack-failure.ts';
import { useRunInSlack } from '../../support/posting/run-in-slack.ts';

const { start, forgetAll, database } = useRunInSlack();
const reply = expect.stringMatching(/✅ Succeeded/);
const asIfNothing = [
  ['here', 'Succeeded'],
  ['here', reply],
];
const asDirect = [
  ['direct', 'Succeeded'],
  ['direct', reply],
];
const findDuplicatePosts = () =>
  database()
    .updateTable('outbox')
    .set({ suspected_at: 1, check_at: 1, due_at: 1 })
    .where('suspected_at', 'is not', null)
    .execute();
/** Errors of each kind for the journeys below: those that the app waits out, then those that end a call. */
const waits = ['internal_error', 'token_revoked'];
const rejections = ['is_archived', 'message_not_found', 'edit_window_closed', 'msg_too_long'];

it('every error of Slack has an outcome', () => {
  const codesBy: Record<string, string> = {};
  for (const code of Object.keys(slackOutcomes)) {
    const failure = readSlackFailure(new WebAPIPlatformError({ ok: false, error: code }));
    const outcome =
      failure.outcome === 'rejected'
        ? `update ${outcomeOf('update', code)}, post ${outcomeOf('post', code)}`
        : `wait ${failure.retryAfterMs / 1_000}s${needsAdmin(code) ? ' for an admin' : ''}`;
    codesBy[outcome] = [...(codesBy[outcome] ?? '').split(' '), code].filter(Boolean).join(' ');
  }
  expect(codesBy).toEqual({
    'wait 5s': 'internal_error fatal_error request_timeout update_failed',
    'wait 10s': 'service_unavailable team_added_to_org',
    'wait 30s': 'ratelimited rate_limited',
    'wait 60s': 'external_channel_migrating org_login_required',
    'wait 60s for an admin':
      'token_revoked token_expired invalid_auth account_inactive team_access_not_granted not_authed missing_scope ekm_access_denied',
    'update direct, post direct':
      'channel_not_found not_in_channel is_archived is_inactive restricted_action posting_to_channel_denied cannot_reply_to_message thread_not_found',
    'update stop, post direct': 'message_not_found',
    'update repost, post direct': 'cant_update_message edit_window_closed block_mismatch',
    'update shorter, post shorter':
      'msg_too_long msg_blocks_too_long invalid_blocks invalid_blocks_format invalid_attachments',
  });
});

describe('an error when a run message is posted', () => {
  it.each(waits)('%s waits, and the message is posted later', async (code) => {
    const bot = await start();
    await bot.reject('chat.postMessage', code);
    await bot.works();
    expect(bot.shown()).toEqual([]);
    expect(await bot.message()).toMatchObject({ state: 'waiting', failures: 1 });
    await bot.works();
    await database().updateTable('outbox').set({ began_at: 1 }).execute();
    bot.end();
    await bot.works();
    await bot.works();
    expect(bot.shown()).toEqual(asIfNothing);
  });

  it.each([...rejections, 'an_error_of_tomorrow'])(
    '%s still gets the message to the creator',
    async (code) => {
      const bot = await start();
      await bot.reject('chat.postMessage', code);
      await bot.works();
      const isShort = outcomeOf('post', code) === 'shorter';
      expect(bot.shown()).toHaveLength(1);
      bot.end();
      await bot.works();
      expect(bot.shown()).toEqual(isShort ? asIfNothing : asDirect);
    },
  );
});

describe('an error when a run message is updated', () => {
  it.each(waits)('%s waits, and the message is updated later', async (code) => {
    const bot = await start();
    await bot.works();
    bot.end();
    await bot.reject('chat.update', code);
    await bot.works();
    expect(bot.shown()).toHaveLength(1);
    await bot.works();
    expect(bot.shown()).toEqual(asIfNothing);
  });

  it.each([
    ['is_archived', [['here', 'In progress'], ...asDirect]],
    ['edit_window_closed', [['here', 'In progress'], ...asIfNothing]],
    [
      'message_not_found',
      [
        ['here', 'In progress'],
        ['direct', reply],
      ],
    ],
    ['msg_too_long', asIfNothing],
    ['block_mismatch', asIfNothing],
    ['an_error_of_tomorrow', asIfNothing],
  ])('%s leaves nobody with an old state', async (code, expected) => {
    const bot = await start();
    await bot.works();
    await bot.works();
    bot.end();
    await bot.reject('chat.update', code);
    await bot.works();
    await bot.works();
    expect(bot.shown()).toEqual(expected);
    // The app deletes the replaced message if Slack allows it.
    const replaced = (await bot.message())?.replaced;
    if (replaced) await findDuplicatePosts();
    await bot.works();
    expect(bot.shown()).toEqual(replaced ? expected.slice(1) : expected);
  });
});

describe('a run message that is replaced twice', () => {
  it('leaves only the last one', async () => {
    const bot = await start();
    await bot.works();
    await bot.works();
    await giveUp(bot, 'edit_window_closed');
    // Move the times ahead, so that a search no longer finds the first message.
    const long = Date.now() + 24 * 60 * 60_000;
    await database().updateTable('requests').set({ accepted_at: long }).execute();
    await database().updateTable('outbox').set({ suspected_at: long }).execute();
    bot.end();
    await giveUp(bot, 'is_archived');
    expect(bot.shown()).toEqual([['here', 'In progress'], ...asDirect]);
    await findDuplicatePosts();
    await bot.works();
    expect(bot.shown()).toEqual(asDirect);
  });

  it('posts the third one only after the first is deleted', async () => {
    const bot = await start();
    await bot.works();
    await bot.works();
    await giveUp(bot, 'edit_window_closed');
    await bot.inject({ name: 'server_error', method: 'chat.delete' });
    bot.end();
    await bot.reject('chat.update', 'is_archived');
    await bot.works();
    expect(bot.shown()).toHaveLength(2);
    await giveUp(bot, 'is_archived');
    expect(bot.shown()).toEqual([['here', 'In progress'], ...asDirect]);
  });

  type Bot = Awaited<ReturnType<typeof start>>;
  async function giveUp(bot: Bot, code: string): Promise<void> {
    await database().updateTable('outbox').set({ shown: null }).execute();
    await bot.reject('chat.update', code);
    await bot.works();
    await bot.works();
  }
});

describe('an error when the reply at the end is posted', () => {
  it.each(waits)('%s waits, and the reply is posted later', async (code) => {
    const bot = await startEnding(code);
    expect(bot.shown()).toEqual([['here', 'Succeeded']]);
    await database().updateTable('outbox').set({ began_at: 1 }).execute();
    await bot.works();
    expect(bot.shown()).toEqual(asIfNothing);
  });

  it.each([...rejections, 'an_error_of_tomorrow'])('%s still notifies everyone', async (code) => {
    const bot = await startEnding(code);
    await bot.works();
    const isShort = outcomeOf('post', code) === 'shorter';
    const place = isShort ? 'here' : 'direct';
    expect(bot.shown()).toEqual([
      ['here', 'Succeeded'],
      [place, reply],
    ]);
  });

  it('deletes a reply that arrives after the direct message replaced it', async () => {
    const bot = await start();
    await bot.works();
    bot.end();
    await bot.inject({ name: 'answer_lost', method: 'chat.postMessage' });
    await bot.works();
    expect(bot.shown()).toEqual(asIfNothing);
    await database().updateTable('outbox').set({ began_at: 1 }).execute();
    await bot.reject('conversations.replies', 'channel_not_found');
    await bot.reject('chat.postMessage', 'not_in_channel');
    await bot.works();
    await bot.works();
    expect(bot.shown()).toEqual([...asIfNothing, ['direct', reply]]);
    await findDuplicatePosts();
    await bot.works();
    expect(bot.shown()).toEqual([
      ['here', 'Succeeded'],
      ['direct', reply],
    ]);
  });

  it('leaves one reply after a kill at any moment while a channel is given up', async () => {
    for (let calls = 1; ; calls += 1) {
      await forgetAll();
      const bot = await start();
      await bot.works();
      bot.end();
      await bot.reject('chat.postMessage', 'is_archived');
      const isKilled = await bot.worksUntilKilled(calls);
      const begun = database().updateTable('outbox').where('began_at', 'is not', null);
      await begun.set({ began_at: 1 }).execute();
      for (let round = 0; round < 3; round += 1) await bot.works();
      expect([calls, bot.shown().filter(([, text]) => text?.includes('✅ Succeeded'))]).toEqual([
        calls,
        [[expect.any(String), reply]],
      ]);
      if (!isKilled) break;
    }
  });

  async function startEnding(code: string) {
    const bot = await start();
    await bot.works();
    bot.end();
    await bot.reject('chat.postMessage', code);
    await bot.works();
    return bot;
  }
});

describe("when the creator can't get direct messages either", () => {
  const deactivated = { method: 'conversations.open', error: 'user_disabled' };

  async function startAlone() {
    const bot = await start();
    const denyAlways = (method: string, error: string) =>
      bot.inject({ name: 'error_answer', method, error, times: 1_000 });
    await denyAlways(deactivated.method, deactivated.error);
    return { ...bot, denyAlways };
  }
  const statesOf = async (bot: Awaited<ReturnType<typeof start>>) =>
    (await bot.posts()).filter(({ kind }) => kind === 'end').map(({ state }) => state);

  it.each(['is_archived', 'an_error_of_tomorrow'])(
    "ends the request without a run if the run message can't be posted (%s)",
    async (code) => {
      const bot = await startAlone();
      await bot.denyAlways('chat.postMessage', code);
      await bot.works();
      await bot.works();
      expect(await bot.stored()).toMatchObject({
        step: 'ended',
        runId: null,
        problem: { code: 'cannot_post' },
      });
      expect((await statesOf(bot)).toSorted()).toEqual(['done', 'moved']);
    },
  );

  it.each(['is_archived'])(
    "gives up an update that can't be shown (%s), and records the end",
    async (code) => {
      const bot = await startAlone();
      await bot.works();
      bot.end();
      await bot.denyAlways('chat.update', code);
      await bot.denyAlways('chat.postMessage', code);
      for (let round = 0; round < 4; round += 1) await bot.works();
      expect(await bot.stored()).toMatchObject({
        step: 'ended',
        run: { state: 'SUCCEEDED' },
      });
      const states = await statesOf(bot);
      expect(states.length).toBeGreaterThan(0);
      expect(states).not.toContain('waiting');
    },
  );

  it('gives up the reply once, and the message shows the end', async () => {
    const bot = await startAlone();
    await bot.works();
    bot.end();
    await bot.denyAlways('chat.postMessage', 'not_in_channel');
    for (let round = 0; round < 3; round += 1) await bot.works();
    expect(bot.shown()).toEqual([['here', 'Succeeded']]);
    expect((await statesOf(bot)).toSorted()).toEqual(['done', 'moved']);
  });
});
