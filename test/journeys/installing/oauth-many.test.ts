import { expect, it, onTestFinished } from 'vitest';
import { readAppScopes } from '../../../src/config/app-scopes.ts';
import { createStore } from '../../../src/store/store.ts';
import { openTestDatabase } from '../../support/database/test-key.ts';
import { startOAuthProduct } from '../../support/product/oauth-product.ts';
import { textOf } from '../../support/product/product.ts';

const teams = 200;
/** Those where something happens, all at once. */
const busy = 20;
const seed = Number(process.env['SEED'] ?? Date.now() % 1_000_000);

const idsOf = (number: number) => {
  const digits = String(number).padStart(4, '0');
  return {
    teamId: `T06TEAM${digits}`,
    admin: `U06ADM${digits}`,
    member: `U06MEM${digits}`,
    channelId: `C06GEN${digits}`,
    secret: `secret-of-${digits}.`,
  };
};

/** The same order for the same seed (mulberry32). */
function createRandom(from: number) {
  let state = from;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

it(`shows nothing of one of ${teams} workspaces in another, in any order (seed ${seed})`, async () => {
  const product = await startOAuthProduct({ moreTeams: teams });
  const { workspace, startBot, config } = product;
  const db = await openTestDatabase(config.databaseUrl);
  onTestFinished(() => db.destroy());
  const { installations } = createStore(db);
  const scopes = readAppScopes(false);
  for (let number = 1; number <= teams; number += 1) {
    const { teamId } = idsOf(number);
    const { botToken, refreshToken, botId, botUserId } = workspace.installIn(teamId, scopes);
    await installations.save({
      id: teamId,
      teamId,
      name: teamId,
      botId,
      botUserId,
      scopes,
      installedBy: 'U1',
      token: botToken,
      refreshToken: refreshToken ?? null,
      expiresAt: null,
    });
  }
  await startBot();

  const random = createRandom(seed);
  const numbers = Array.from({ length: teams }, (_, index) => index + 1)
    .toSorted(() => random() - 0.5)
    .slice(0, busy);
  const acts = numbers.flatMap((number) => {
    const { admin, member, channelId, secret } = idsOf(number);
    return [
      () => workspace.as(admin).types(channelId, `/agent run ${secret}`),
      () => workspace.as(member).opensHome(),
      () => workspace.as(admin).opensHome(),
      () => workspace.as(member).types(channelId, '/agent list'),
      () => workspace.as(member).types(channelId, `/agent ${secret}`),
    ];
  });
  const waiting = acts.toSorted(() => random() - 0.5);
  const work = async () => {
    for (let act = waiting.pop(); act; act = waiting.pop()) await act();
  };
  await Promise.all(Array.from({ length: 6 }, work));

  for (const number of numbers) {
    const { admin, channelId, secret } = idsOf(number);
    const isPosted = () =>
      workspace
        .messagesIn(channelId)
        .some((each) => !each.visibleTo && textOf(each).includes(secret));
    await workspace.until(isPosted);
    await workspace.as(admin).opensHome();
    await workspace.until(() => textOf(workspace.as(admin).home()?.content).includes(secret));
  }
  for (let number = 1; number <= teams; number += 1) {
    const { admin, member, channelId, secret } = idsOf(number);
    const seen = textOf([
      workspace.messagesIn(channelId),
      ...[admin, member].map((id) => [workspace.as(id).home(), ...workspace.as(id).modals()]),
    ]);
    const secrets = new Set(seen.match(/secret-of-\d{4}\./g));
    expect([...secrets].filter((each) => each !== secret)).toEqual([]);
  }
  // Every call had the token of the workspace that it was about. If Slack is slow, the app looks for what it posted in a
  // channel that it isn't in (`not_in_channel`), and a wrong token wouldn't even find that channel.
  const wrong = workspace.traffic
    .recent()
    .filter(({ answer }) => /channel_not_found|user_not_found/.test(textOf(answer)));
  expect(wrong).toEqual([]);
});
