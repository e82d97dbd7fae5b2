import { expect, it } from 'vitest';
import { createLogger } from '../../../../src/lib/logger.ts';
import { createOAuthInstallations } from '../../../../src/slack/connection/installations/oauth-installations.ts';
import { createInstallationStore } from '../../../../src/store/installations.ts';
import { useDatabase } from '../../../support/database/databases.ts';

const database = useDatabase();
const logger = createLogger('silent');
const oauth = { scopes: [], publicUrl: 'https://agent.example.org' };

/** Installed in an organization with two workspaces, a while ago. */
async function start(accepted: readonly string[]) {
  const store = createInstallationStore(database());
  await store.save({
    id: 'E1',
    teamId: undefined,
    name: 'All',
    botId: 'B1',
    botUserId: 'U1',
    installedBy: 'U2',
    scopes: [],
    token: 'expired',
    refreshToken: 'r1',
    expiresAt: 1,
  });
  for (const teamId of ['T1', 'T2']) await store.addTeam(teamId, 'E1');
  const installations = createOAuthInstallations({
    store,
    oauth,
    logger,
    async refresh(installation) {
      if (!accepted.includes('fresh')) return installation.token;
      const fresh = { token: 'fresh', refreshToken: 'r2', expiresAt: Date.now() + 1e9 };
      return (await store.replaceToken(installation, fresh)) ? 'fresh' : installation.token;
    },
    isAccepted: async (token) => accepted.includes(token),
  });
  return { store, installations };
}

it('a workspace that removes the app leaves it to the others, also if the token has expired', async () => {
  const { store, installations } = await start(['fresh']);
  await installations.lost?.('T1');
  expect(await store.findOfTeam('T2')).toMatchObject({ token: 'fresh' });
});

it('an installation is gone when Slack takes its token back', async () => {
  const { store, installations } = await start([]);
  await installations.lost?.('T1');
  expect(await store.findOfTeam('T2')).toBeUndefined();
});

const event = (more: object) => ({ type: 'event_callback', enterprise_id: 'E1', ...more });
const changed = (type: string, ...team_ids: string[]) => event({ event: { type, team_ids } });

it('workspaces that an organization gives and takes are served and not, however late deliveries are', async () => {
  const { store, installations } = await start(['fresh']);
  expect(await installations.find(changed('team_access_granted', 'T3', 'T4'))).toMatchObject({
    botId: 'B1',
  });
  expect(await store.findOfTeam('T4')).toBeDefined();
  expect(await installations.taken?.(['T3', 'T9'], 'E1')).toEqual(['T3']);
  expect(await installations.taken?.(['T4'], 'E2')).toEqual([]);
  expect(await installations.find({ command: '/agent', team_id: 'T3', enterprise_id: 'E1' })).toBe(
    undefined,
  );
  await installations.find(changed('team_access_granted', 'T3'));
  expect(await store.findOfTeam('T3')).toBeDefined();
});

it('deliveries of an organization find the workspace, also where Slack names none', async () => {
  const { installations } = await start(['fresh']);
  const click = {
    type: 'view_submission',
    team: null,
    user: { id: 'U9', team_id: 'T2' },
    enterprise: { id: 'E1' },
    is_enterprise_install: true,
    view: { app_installed_team_id: 'E1' },
  };
  expect(await installations.find(click)).toMatchObject({ teamId: 'T2' });
  expect(await installations.find(event({ event: { type: 'app_uninstalled' } }))).toMatchObject({
    teamId: 'T1',
  });
  for (const other of ['E2', 7, null])
    expect(await installations.find({ ...click, user: {}, enterprise: { id: other } })).toBe(
      undefined,
    );
});
