import { expect, it, onTestFinished } from 'vitest';
import { openTestDatabase } from '../../support/database/databases.ts';
import { startOAuthProduct } from '../../support/product/oauth-product.ts';
import { textOf } from '../../support/product/product.ts';

const organization = 'E07STARSHIP';
const first = { teamId: 'T06TEAM0001', channelId: 'C06GEN0001', admin: 'U06ADM0001' };
const second = { teamId: 'T06TEAM0002', channelId: 'C06GEN0002', admin: 'U06ADM0002' };
const outside = { teamId: 'T06TEAM0003', channelId: 'C06GEN0003', admin: 'U06ADM0003' };

/** Starts the app in an organization of two workspaces, and in a workspace outside of it. */
async function startOrganization() {
  const product = await startOAuthProduct({ moreTeams: 3, inOrganization: 2 });
  const { workspace, startBot, install } = product;
  const bot = await startBot();
  const page = await install(first.admin, '', { inOrganization: true });
  expect([page.status, page.text]).toEqual([200, expect.stringContaining('Installed in Starship')]);
  await install(outside.admin);
  const messages = ({ teamId, channelId }: typeof first) =>
    workspace
      .messagesIn(channelId)
      .filter(({ userId }) => userId === workspace.installationIn(teamId)?.botUserId)
      .filter(({ visibleTo }) => !visibleTo)
      .map(textOf);
  const shows = (place: typeof first, words: string) =>
    workspace.until(() => messages(place).some((text) => text.includes(words)));
  const runs = (place: typeof first, words: string) =>
    workspace.as(place.admin).types(place.channelId, `/agent run ${words}`);
  return { ...product, bot, messages, shows, runs };
}

it('an organization gives the app its workspaces with one token, and nothing mixes', async () => {
  const { workspace, config, messages, shows, runs } = await startOrganization();
  await workspace.giveTeams(organization, [first.teamId, second.teamId]);
  await runs(first, 'engines only');
  await runs(second, 'compilers only');
  await runs(outside, 'others only');
  await shows(first, 'done: engines only');
  await shows(second, 'done: compilers only');
  await shows(outside, 'done: others only');
  for (const [place, word] of [
    [first, 'engines'],
    [second, 'compilers'],
    [outside, 'others'],
  ] as const) {
    const others = ['engines', 'compilers', 'others'].filter((each) => each !== word);
    for (const other of others) expect(messages(place).join()).not.toContain(`${other} only`);
  }

  // In an organization, Slack names the workspace in another field of interactions, so test a form as well.
  const person = workspace.as(second.admin);
  await person.types(second.channelId, '/agent write it in the form');
  await workspace.until(() => person.modal());
  await person.submits();
  await shows(second, 'done: write it in the form');
  await person.opensHome();
  const home = () => textOf(workspace.as(second.admin).home()?.content);
  await workspace.until(() => home().includes('compilers only'));
  expect(home()).not.toContain('engines only');

  await workspace.faults.inject({ name: 'token_expired', teamId: first.teamId });
  await Promise.all([runs(first, 'engines again'), runs(second, 'compilers again')]);
  await shows(first, 'done: engines again');
  await shows(second, 'done: compilers again');
  const refreshes = workspace.traffic
    .recent()
    .filter(
      ({ name, request }) => name === 'oauth.v2.access' && textOf(request).includes('refresh_'),
    );
  expect(refreshes).toHaveLength(1);

  const db = await openTestDatabase(config.databaseUrl);
  onTestFinished(() => db.destroy());
  const rows = await db.selectFrom('workspaces').selectAll().orderBy('team_id').execute();
  expect(rows).toMatchObject([
    { team_id: first.teamId, installation_id: organization },
    { team_id: second.teamId, installation_id: organization },
    { team_id: outside.teamId, installation_id: outside.teamId },
  ]);
  expect(textOf(workspace.traffic.recent())).not.toContain('missing_argument');
});

it('a workspace that an organization takes back waits, and continues when it is given again', async () => {
  const { workspace, config, shows, runs } = await startOrganization();
  await workspace.giveTeams(organization, [first.teamId, second.teamId]);
  await runs(first, 'wait');
  await shows(first, 'In progress');
  await workspace.takeTeams(organization, [first.teamId]);
  const db = await openTestDatabase(config.databaseUrl);
  onTestFinished(() => db.destroy());
  const removedAt = async () => {
    const row = await db
      .selectFrom('workspaces')
      .selectAll()
      .where('team_id', '=', first.teamId)
      .executeTakeFirstOrThrow();
    return row.removed_at;
  };
  await expect.poll(removedAt).toBeGreaterThan(0);
  await runs(second, 'still here');
  await shows(second, 'done: still here');
  await workspace.giveTeams(organization, [first.teamId]);
  await expect.poll(removedAt).toBeNull();
  await runs(first, 'back again');
  await shows(first, 'done: back again');

  await workspace.faults.inject({ name: 'app_uninstalled', teamId: first.teamId });
  const active = () => db.selectFrom('workspaces').select('team_id').where('is_active', '=', 1);
  await expect.poll(() => active().execute()).toEqual([{ team_id: outside.teamId }]);
});

it('what an organization gave and took while the bot was down is read from its list', async () => {
  const { workspace, config, bot, startBot, shows, runs } = await startOrganization();
  await workspace.giveTeams(organization, [first.teamId]);
  await runs(first, 'before');
  await shows(first, 'done: before');
  await bot.stop();
  await workspace.takeTeams(organization, [first.teamId]);
  await workspace.giveTeams(organization, [second.teamId]);
  const db = await openTestDatabase(config.databaseUrl);
  onTestFinished(() => db.destroy());
  // An earlier version stored this workspace after a delivery.
  await db
    .insertInto('workspaces')
    .values({ team_id: 'T09OUTSIDER', installation_id: organization, is_active: 1 })
    .execute();
  await startBot();
  const active = () =>
    db
      .selectFrom('workspaces')
      .select('team_id')
      .where('installation_id', '=', organization)
      .execute();
  await expect.poll(active).toEqual([{ team_id: second.teamId }]);
  await runs(second, 'after');
  await shows(second, 'done: after');
});
