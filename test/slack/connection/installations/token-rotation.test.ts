import { createLogger } from 'base/logger';
import { expect, it } from 'vitest';
import { createTokenRotation } from '../../../../src/slack/connection/installations/token-rotation.ts';
import { createInstallationStore } from '../../../../src/store/installations.ts';
import { useDatabase } from '../../../support/database/databases.ts';

const database = useDatabase();

it('keeps a new token while the store is away: Slack gives no other one for the old refresh token', async () => {
  const store = createInstallationStore(database());
  await store.save({
    id: 'T1',
    teamId: 'T1',
    name: 'One',
    botId: 'B1',
    botUserId: 'U1',
    installedBy: 'U2',
    scopes: [],
    token: 'expired',
    refreshToken: 'r1',
    expiresAt: 1,
  });
  const asked: unknown[] = [];
  const exchange = async (request?: { refresh_token?: string }) => {
    asked.push(request?.refresh_token);
    return { ok: true, access_token: 'fresh', refresh_token: 'r2', expires_in: 43_200 };
  };
  let failures = 1;
  const refresh = createTokenRotation({
    exchange,
    clientId: 'id',
    clientSecret: 'secret',
    logger: createLogger('silent'),
    stopping: new AbortController().signal,
    store: {
      ...store,
      // Always begin, as if no other replica had started a refresh.
      beginRefresh: async () => true,
      async replaceToken(...given) {
        if (failures-- > 0) throw new Error('the store is away');
        return store.replaceToken(...given);
      },
    },
  });
  const installation = await store.find('T1');
  if (!installation) throw new Error('not installed');
  await expect(refresh(installation, 'now')).rejects.toThrow('away');
  expect(await refresh(installation, 'now')).toBe('fresh');
  expect(asked).toEqual(['r1']);
  expect(await store.find('T1')).toMatchObject({ token: 'fresh', refreshToken: 'r2' });
});
