import { expect, it, onTestFinished } from 'vitest';
import { openTestDatabase } from '../../support/database/test-key.ts';
import { createLineLogger, startProduct, textOf } from '../../support/product/product.ts';

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

/** A bot with the token of an organization of two workspaces. */
async function startOrganization(given: readonly string[] = []) {
  const product = await startProduct({}, { moreTeams: 3, inOrganization: 2, forOrganization: true });
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

  const step = await workspace.runsWorkflowStep(
    'run_agent',
    { prompt: 'from a workflow', channel: second.channelId, wait: false },
    second.teamId,
  );
  await workspace.until(() => step.status === 'succeeded');
  await shows(second.channelId, 'done: from a workflow');
  expect(textOf(workspace.traffic.recent())).not.toMatch(/missing_argument|team_access_not/);
});

it('a bot whose organization gives it no workspace says what to do and waits for one', async () => {
  const { lines, runs, shows, workspaces } = await startOrganization();
  expect(lines.map(({ msg }) => msg).join()).toContain(
    'The app is installed in the organization Starship, but in none of its workspaces',
  );
  expect(await workspaces()).toEqual([]);
});
