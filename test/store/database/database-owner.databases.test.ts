import { expect, it } from 'vitest';
import { createDatabaseOwner } from '../../../src/store/database-owner.ts';
import { createInstallationStore } from '../../../src/store/installations.ts';
import { describeOnDatabase } from '../../support/database/databases.ts';

describeOnDatabase('the owner of a database', (database) => {
  it('is the first workspace, and no other can use the database', async () => {
    const owner = createDatabaseOwner(database());
    await owner.claim('T1');
    await owner.claim('T1');
    await expect(owner.claim('T2')).rejects.toThrow(
      'The database belongs to the Slack workspace T1, but SLACK_BOT_TOKEN is of T2.',
    );
  });

  const acme = { id: 'E1', name: 'Acme' };
  const rows = async () => {
    const found = await database()
      .selectFrom('workspaces')
      .selectAll()
      .orderBy('team_id')
      .execute();
    return found.map((each) => [each.team_id, each.installation_id, each.is_active]);
  };
  const start = async () => {
    await database().deleteFrom('workspaces').execute();
    return createDatabaseOwner(database());
  };

  it('can be an organization, which takes over its workspaces and no others', async () => {
    const owner = await start();
    await owner.claimForOrganization(acme, []);
    await owner.claim('T1');
    await expect(owner.claimForOrganization(acme, ['T2'])).rejects.toThrow(
      "The database belongs to the Slack workspace T1, but SLACK_BOT_TOKEN is of the organization Acme (E1), which hasn't given the app that workspace.",
    );
    await owner.claimForOrganization(acme, ['T1', 'T2']);
    expect(await rows()).toEqual([
      ['T1', 'E1', 1],
      ['T2', 'E1', 1],
    ]);
    await expect(owner.claimForOrganization({ id: 'E2', name: 'B' }, ['T3'])).rejects.toThrow(
      'belongs to the Slack organization E1, but SLACK_BOT_TOKEN is of the organization B (E2)',
    );
    await expect(owner.claim('T1')).rejects.toThrow(
      'The database belongs to the Slack organization E1, but SLACK_BOT_TOKEN is of T1. Use the token of the organization E1, or another DATA_DIR or DATABASE_URL.',
    );
  });

  it('is never the id of an organization, also not from an earlier version', async () => {
    const owner = await start();
    await database().insertInto('workspaces').values({ team_id: 'E1', is_active: 1 }).execute();
    for (const id of ['E1', '', 't1', 'T1; drop']) {
      await expect(owner.claim(id)).rejects.toThrow('Slack names no workspace');
      await expect(owner.claimForOrganization(acme, [id])).rejects.toThrow("isn't the id");
    }
    await owner.claimForOrganization(acme, ['T1']);
    expect(await rows()).toEqual([['T1', 'E1', 1]]);
  });

  it('waits for an installation by OAuth if the token is no longer in the configuration', async () => {
    const owner = await start();
    await owner.claimForOrganization(acme, ['T1']);
    expect(await createInstallationStore(database()).begin()).toBe(0);
    expect(await rows()).toEqual([['T1', 'E1', 0]]);
  });
});
