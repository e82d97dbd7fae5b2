import { expect, it } from 'vitest';
import { createLogger } from '../../../src/lib/logger.ts';
import { createOAuthInstallations } from '../../../src/slack/connection/oauth-installations.ts';
import { createInstallationStore } from '../../../src/store/installations.ts';
import { useDatabase } from '../../support/databases.ts';

const database = useDatabase();
const logger = createLogger('silent');
const oauth = { scopes: [], publicUrl: 'https://agent.example.org' };

/** Installed in an organization with two workspaces, a while ago. */
async function start(accepted: readonly string[]) {
  const store = createInstallationStore(database());
  await store.save({
    ...{
      id: 'E1',
      teamId: undefined,
      name: 'All',
      botId: 'B1',
      botUserId: 'U1',
      installedBy: 'U2',
    },
    ...{ scopes: [], token: 'expired', refreshToken: 'r1', expiresAt: 1 },
  });
  for (const teamId of ['T1', 'T2']) await store.addTeam(teamId, 'E1');
  const installations = createOAuthInstallations({
    ...{ store, oauth, logger },
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
