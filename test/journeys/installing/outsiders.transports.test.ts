import { expect, it, onTestFinished } from 'vitest';
import { openTestDatabase } from '../../support/database/databases.ts';
import { startOAuthProduct } from '../../support/product/oauth-product.ts';
import { textOf } from '../../support/product/product.ts';

const organization = 'E07STARSHIP';
const ours = { teamId: 'T06TEAM0001', sharedId: 'C06EXT0001', admin: 'U06ADM0001' };
const outsider = 'U09STRANGER';

/** Starts the app in an organization, and in a channel that is shared with another company. */
async function startShared() {
  const product = await startOAuthProduct({ moreTeams: 2, inOrganization: 2 });
  const { workspace, startBot, install, config, service } = product;
  await startBot();
  await install(ours.admin, '', { inOrganization: true });
  await workspace.giveTeams(organization, [ours.teamId]);
  await workspace.as(ours.admin).invitesApp(ours.sharedId);
  const db = await openTestDatabase(config.databaseUrl);
  onTestFinished(() => db.destroy());
  const { userId = '' } = { userId: workspace.installationIn(ours.teamId)?.botUserId };
  const mentions = (name: string, prompt: string, more = {}) =>
    workspace.as(name).types(ours.sharedId, `<@${userId}> ${prompt}`, more);
  const runMessages = () =>
    workspace
      .messagesIn(ours.sharedId)
      .filter((each) => each.userId === userId && !each.visibleTo)
      .map(textOf);
  const workspaces = () => db.selectFrom('workspaces').select('team_id').execute();
  return { ...product, db, service, mentions, runMessages, workspaces };
}

it('a message of another company adds no workspace and starts nothing, whatever was there before', async () => {
  const { workspace, db, mentions, runMessages, workspaces } = await startShared();
  const first = await mentions(outsider, 'do it for outsiders');
  expect(first.outcome.acked).toBe(true);
  expect(await workspaces()).toEqual([{ team_id: ours.teamId }]);

  // Our own run makes the channel known. The outsider can read its thread, but can't use the app there.
  const { message } = await mentions(ours.admin, 'do it for us');
  await workspace.until(() => runMessages().some((text) => text.includes('done: do it for us')));
  await mentions(outsider, 'again for outsiders');
  await mentions(outsider, 'in the thread for outsiders', { threadTs: message?.ts });
  await workspace.until(() =>
    textOf(workspace.as(outsider).sees(ours.sharedId)).includes('Only members'),
  );
  await mentions(ours.admin, 'one more for us');
  await workspace.until(() => runMessages().some((text) => text.includes('done: one more for us')));
  expect(runMessages().join()).not.toContain('outsiders');
  const requests = await db.selectFrom('requests').select(['team_id', 'creator_id']).execute();
  expect(new Set(requests.map(textOf))).toEqual(
    new Set([textOf({ team_id: ours.teamId, creator_id: ours.admin })]),
  );
  expect(await workspaces()).toEqual([{ team_id: ours.teamId }]);
});
