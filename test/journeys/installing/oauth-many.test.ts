import { expect, it, onTestFinished } from 'vitest';
import { readAppScopes } from '../../../src/config/app-scopes.ts';
import { createStore } from '../../../src/store/store.ts';
import { openTestDatabase } from '../../support/database/databases.ts';
import { startOAuthProduct } from '../../support/product/oauth-product.ts';
import { textOf } from '../../support/product/product.ts';

const numbers = Array.from({ length: 6 }, (_, index) => index + 1);

const idsOf = (number: number) => ({
  teamId: `T06TEAM000${number}`,
  admin: `U06ADM000${number}`,
  member: `U06MEM000${number}`,
  channelId: `C06GEN000${number}`,
  secret: `secret-of-${number}.`,
});

it('shows nothing of one of many workspaces in another, while people act in all of them at once', async () => {
  const product = await startOAuthProduct({ moreTeams: numbers.length });
  const { workspace, startBot, config } = product;
  const db = await openTestDatabase(config.databaseUrl);
  onTestFinished(() => db.destroy());
  const { installations } = createStore(db);
  const { required, optional } = readAppScopes(false);
  const scopes = [...required, ...optional];
  for (const { teamId } of numbers.map(idsOf)) {
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

  const acts = [
    ({ admin, channelId, secret }) => workspace.as(admin).types(channelId, `/agent run ${secret}`),
    ({ member }) => workspace.as(member).opensHome(),
    ({ admin }) => workspace.as(admin).opensHome(),
    ({ member, channelId }) => workspace.as(member).types(channelId, '/agent list'),
    ({ member, channelId, secret }) => workspace.as(member).types(channelId, `/agent ${secret}`),
  ] satisfies ((ids: ReturnType<typeof idsOf>) => Promise<unknown>)[];
  for (const act of acts) await Promise.all(numbers.map((number) => act(idsOf(number))));

  for (const { admin, member, channelId, secret } of numbers.map(idsOf)) {
    const posts = () => workspace.messagesIn(channelId).filter(({ visibleTo }) => !visibleTo);
    await workspace.until(() => textOf(posts()).includes(secret));
    await workspace.until(() => workspace.as(member).modal());
    await workspace.as(admin).opensHome();
    await workspace.until(() => textOf(workspace.as(admin).home()).includes(secret));
  }
  for (const { admin, member, channelId, secret } of numbers.map(idsOf)) {
    const seen = textOf([
      workspace.messagesIn(channelId),
      ...[admin, member].map((id) => [workspace.as(id).home(), ...workspace.as(id).modals()]),
    ]);
    expect(new Set(seen.match(/secret-of-\d\./g))).toEqual(new Set([secret]));
  }
  // Each call used the token of its workspace, because another token can't find the channel or the person.
  const wrong = workspace.traffic
    .recent()
    .filter(({ answer }) => /channel_not_found|user_not_found/.test(textOf(answer)));
  expect(wrong).toEqual([]);
});
