import { expect, it, onTestFinished } from 'vitest';
import { createLineLogger } from '../../../packages/base/test/support/line-logger.ts';
import { readAppScopes } from '../../../src/config/app-scopes.ts';
import { openTestDatabase } from '../../support/database/databases.ts';
import { addsRule } from '../../support/product/policy.ts';
import { startProduct, textOf } from '../../support/product/product.ts';

const organization = 'E07STARSHIP';
const place = (number: number) => ({
  teamId: `T06TEAM000${number}`,
  channelId: `C06GEN000${number}`,
  sharedId: `C06EXT000${number}`,
  admin: `U06ADM000${number}`,
  member: `U06MEM000${number}`,
});
const [first, second] = [place(1), place(2)];
const outsider = 'U09STRANGER';

/** Starts a bot with the token of an organization that has two workspaces. */
async function startOrganization(given: readonly string[] = []) {
  const product = await startProduct(
    {},
    { moreTeams: 3, inOrganization: 2, forOrganization: true },
  );
  const { workspace, config, startBot } = product;
  if (given.length > 0) await workspace.giveTeams(organization, given);
  const { logger, lines } = createLineLogger();
  const bot = await startBot({}, logger);
  const db = await openTestDatabase(config.databaseUrl);
  onTestFinished(() => db.destroy());
  const messages = (channelId: string) =>
    workspace
      .messagesIn(channelId)
      .filter(({ userId, visibleTo }) => userId === workspace.bot.userId && !visibleTo)
      .map(textOf);
  const shows = (channelId: string, words: string) =>
    workspace.until(() => messages(channelId).some((text) => text.includes(words)));
  const runs = ({ admin, channelId }: typeof first, words: string) =>
    workspace.as(admin).types(channelId, `/agent run ${words}`);
  const workspaces = async () => {
    const rows = await db.selectFrom('workspaces').selectAll().orderBy('team_id').execute();
    return rows.map(({ team_id: id, is_active: isActive }) => `${id} ${isActive}`);
  };
  return { ...product, bot, lines, messages, shows, runs, workspaces };
}

it("an organization's token serves the workspaces that it gives to the app, and nothing mixes", async () => {
  const { workspace, messages, shows, runs } = await startOrganization([
    first.teamId,
    second.teamId,
  ]);
  await Promise.all([runs(first, 'engines only'), runs(second, 'compilers only')]);
  await shows(first.channelId, 'done: engines only');
  await shows(second.channelId, 'done: compilers only');
  expect(messages(first.channelId).join()).not.toContain('compilers');
  expect(messages(second.channelId).join()).not.toContain('engines');

  const person = workspace.as(second.admin);
  person.person.isOrgAdmin = true;
  await person.types(second.channelId, '/agent write it in the form');
  await workspace.until(() => person.modal());
  await person.submits();
  await shows(second.channelId, 'done: write it in the form');

  await person.opensHome();
  const home = () => textOf(workspace.as(second.admin).home()?.content);
  await workspace.until(() => home().includes('compilers only'));
  expect(home()).not.toContain('engines only');

  await workspace.as(first.admin).invitesApp(first.channelId);
  await workspace.as(first.member).types(first.channelId, `<@${workspace.bot.userId}> by mention`);
  await shows(first.channelId, 'done: by mention');

  await addsRule({ workspace }, person, { name: 'Flows', workflows: 'yes' }, second.channelId);
  const step = await workspace.runsWorkflowStep(
    'run_agent',
    { prompt: 'from a workflow', channel: second.channelId, wait: false },
    second.teamId,
  );
  await workspace.until(() => step.status === 'succeeded');
  await shows(second.channelId, 'done: from a workflow');
  expect(textOf(workspace.traffic.recent())).not.toMatch(/missing_argument|team_access_not/);
});

it('a bot whose organization gives it no workspace says what to do, and waits for one', async () => {
  const { workspace, lines, runs, shows, workspaces } = await startOrganization();
  expect(lines.map(({ msg }) => msg).join()).toContain(
    'The app is installed in the organization Starship, but in none of its workspaces: an admin adds it',
  );
  expect(await workspaces()).toEqual([]);
  await workspace.giveTeams(organization, [first.teamId]);
  await runs(first, 'at last');
  await shows(first.channelId, 'done: at last');
  expect(await workspaces()).toEqual([`${first.teamId} 1`]);
});

it('workspaces follow what the organization gives and takes, also while the bot is down', async () => {
  const { workspace, bot, startBot, runs, shows, workspaces } = await startOrganization([
    first.teamId,
    second.teamId,
  ]);
  await runs(first, 'wait');
  await shows(first.channelId, 'In progress');
  await workspace.takeTeams(organization, [first.teamId]);
  await expect.poll(workspaces).toEqual([`${first.teamId} 0`, `${second.teamId} 1`]);
  await runs(second, 'still here');
  await shows(second.channelId, 'done: still here');
  await bot.stop();
  await workspace.takeTeams(organization, [second.teamId]);
  await workspace.giveTeams(organization, [first.teamId]);
  const again = await startBot();
  expect(await workspaces()).toEqual([`${first.teamId} 1`, `${second.teamId} 0`]);
  await runs(first, 'back again');
  await shows(first.channelId, 'done: back again');
  await again.stop();
});

it("another company's message in a shared channel adds nothing and starts nothing", async () => {
  const { workspace, messages, shows, workspaces } = await startOrganization([first.teamId]);
  await workspace.as(first.admin).invitesApp(first.sharedId);
  const mentions = (name: string, words: string, more = {}) =>
    workspace.as(name).types(first.sharedId, `<@${workspace.bot.userId}> ${words}`, more);
  expect((await mentions(outsider, 'for outsiders')).outcome.acked).toBe(true);
  expect(await workspaces()).toEqual([`${first.teamId} 1`]);
  const { message } = await mentions(first.member, 'for us');
  await shows(first.sharedId, 'done: for us');
  await mentions(outsider, 'in the thread for outsiders', { threadTs: message?.ts });
  await workspace.until(() =>
    textOf(workspace.as(outsider).sees(first.sharedId)).includes('Only members'),
  );
  expect(messages(first.sharedId).join()).not.toContain('outsiders');
  expect(await workspaces()).toEqual([`${first.teamId} 1`]);
});

it('a database keeps its owner, whether the token is that of an organization or of a workspace', async () => {
  const { workspace, config, bot, startBot, workspaces } = await startOrganization();
  await bot.stop();
  const { slack } = config;
  const inFirst = workspace.installIn(first.teamId, readAppScopes(false).required).botToken;
  const withToken = async (botToken: string | undefined) => {
    const started = await startBot({ slack: { ...slack, botToken } });
    await started.stop();
  };
  await withToken(inFirst);
  await expect(withToken(slack.botToken)).rejects.toThrow(
    "belongs to the Slack workspace T06TEAM0001, but SLACK_BOT_TOKEN is of the organization Starship (E07STARSHIP), which hasn't given the app that workspace.",
  );
  await workspace.giveTeams(organization, [first.teamId]);
  await withToken(slack.botToken);
  await workspace.giveTeams(organization, [second.teamId]);
  await withToken(slack.botToken);
  expect(await workspaces()).toEqual([`${first.teamId} 1`, `${second.teamId} 1`]);
  await expect(withToken(inFirst)).rejects.toThrow(
    'belongs to the Slack organization E07STARSHIP, but SLACK_BOT_TOKEN is of T06TEAM0001.',
  );
});
