import { beforeEach, expect, it } from 'vitest';
import { createDatabaseOwner } from '../../src/store/database-owner.ts';
import { createInstallationStore } from '../../src/store/installations.ts';
import { runMessageOf } from '../../src/store/outbox/message-posts.ts';
import { createStore } from '../../src/store/store.ts';
import { describeOnDatabase } from '../support/database/databases.ts';

const installed = {
  id: 'T1',
  teamId: 'T1',
  name: 'One',
  botId: 'B1',
  botUserId: 'U1',
  installedBy: 'U2',
  scopes: ['chat:write', 'commands'],
  token: 'xoxb-1',
  refreshToken: 'r1',
  expiresAt: 1,
};
const fresh = { token: 'xoxb-2', refreshToken: 'r2', expiresAt: 2 };

describeOnDatabase('installations', (database) => {
  const store = () => createInstallationStore(database());
  beforeEach(async () => {
    for (const table of ['installations', 'workspaces', 'outbox'] as const)
      await database().deleteFrom(table).execute();
  });

  it('are found by workspace, replaced when installed again, and gone when removed', async () => {
    await store().save(installed);
    const first = await store().findOfTeam('T1');
    expect(first).toMatchObject({ token: 'xoxb-1', scopes: ['chat:write', 'commands'] });
    await store().save({ ...installed, token: 'xoxb-3' });
    expect(await store().findOfTeam('T1')).toMatchObject({ token: 'xoxb-3' });
    // This removal belongs to the earlier installation, so it has no effect.
    if (first) await store().remove(first);
    const again = await store().findOfTeam('T1');
    expect(again).toMatchObject({ token: 'xoxb-3' });
    if (again) await store().remove(again);
    expect(await store().findOfTeam('T1')).toBeUndefined();
    const rows = await database().selectFrom('installations').selectAll().execute();
    expect(rows).toMatchObject([{ bot_token: '', refresh_token: null }]);
    await store().save(installed);
    expect(await store().findOfTeam('T1')).toMatchObject({ token: 'xoxb-1' });
  });

  it('of an organization serve its workspaces, except those with one of their own', async () => {
    await store().save(installed);
    await store().save({ ...installed, id: 'E1', teamId: undefined, token: 'xoxb-org' });
    expect(await store().findOfTeam('T2')).toBeUndefined();
    expect(await store().giveTeams(['T2', 'T1', 'E1', 't3', ''], 'E1')).toEqual(['T2']);
    expect(await store().giveTeams(['T2'], 'E2')).toEqual([]);
    expect((await store().findOfTeam('T2'))?.token).toBe('xoxb-org');
    expect((await store().findOfTeam('T1'))?.token).toBe('xoxb-1');
    const organization = await store().find('E1');
    const own = await store().find('T1');
    if (own) await store().remove(own);
    expect(await store().giveTeams(['T1'], 'E1')).toEqual(['T1']);
    expect((await store().findOfTeam('T1'))?.token).toBe('xoxb-org');
    if (organization) await store().remove(organization);
    expect(await store().findOfTeam('T2')).toBeUndefined();
    expect(await store().findOfTeam('T1')).toBeUndefined();
  });

  it('have their token refreshed by one replica, and replaced once', async () => {
    await store().save(installed);
    const found = await store().find('T1');
    if (!found) throw new Error('not installed');
    const begun = await Promise.all(
      Array.from({ length: 5 }, () => store().beginRefresh(found, 60_000)),
    );
    expect(begun.filter(Boolean)).toHaveLength(1);
    expect(await store().replaceToken(found, fresh)).toBe(true);
    expect(await store().replaceToken(found, { ...fresh, token: 'late' })).toBe(false);
    expect(await store().find('T1')).toMatchObject(fresh);
    expect(await store().beginRefresh(found, 60_000)).toBe(false);
  });

  it('decide what is posted: nothing where the app is not installed, until it is again', async () => {
    const { outbox, posting } = createStore(database());
    for (const [id, teamId] of [['one', 'T1'] as const, ['two', 'T2'] as const])
      await outbox.plan([runMessageOf({ id, teamId })]);
    await database().updateTable('outbox').set({ due_at: 1 }).execute();
    await store().save(installed);
    await store().save({ ...installed, id: 'T2', teamId: 'T2' });
    const second = await store().find('T2');
    if (second) await store().remove(second);
    const claim = async () => (await posting.leases.claim('me', 60_000, 9)).map(({ id }) => id);
    expect(await claim()).toEqual(['one']);
    await store().save({ ...installed, id: 'T2', teamId: 'T2' });
    expect(await claim()).toEqual(['two']);
  });

  it('take over a workspace that had a bot token, and give it back', async () => {
    const owner = createDatabaseOwner(database());
    await owner.claim('T1');
    expect(await store().begin()).toBe(0);
    expect(await store().servedTeams()).toEqual([]);
    expect(await owner.has('T1')).toBe(false);
    await store().save(installed);
    expect([await store().begin(), await owner.has('T1')]).toEqual([1, true]);
    expect(await store().servedTeams()).toEqual(['T1']);
    await owner.claim('T1');
    expect(await store().findOfTeam('T1')).toBeUndefined();
    expect(await owner.has('T1')).toBe(true);
    await store().save({ ...installed, id: 'T2', teamId: 'T2' });
    await expect(owner.claim('T1')).rejects.toThrow('belongs to the Slack workspace T2');
  });
});
