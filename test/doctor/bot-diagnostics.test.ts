import { expect, it } from 'vitest';
import { createBotDiagnostics } from '../../src/doctor/bot-diagnostics.ts';

it('names only what waits in the workspace that asks', async () => {
  const anHourAgo = Date.now() - 60 * 60_000;
  const examine = createBotDiagnostics({
    config: {
      slack: { apiUrl: 'http://127.0.0.1:9/', delivery: { mode: 'socket', appToken: 'xapp-1' } },
      databaseUrl: 'postgres://localhost/bot',
      runsApi: { baseUrl: 'https://runs.example/api/v1', apiKey: 'key' },
    },
    scopes: { required: [], optional: [] },
    backlog: {
      oldest: async (teamId) => ({
        postAt: teamId === 'T2' ? undefined : anHourAgo,
        itemAt: undefined,
      }),
    },
    environments: { list: async () => ({ environments: [] }) },
    keys: { list: async () => [] },
    connect: async () => ({ runs: { list: () => expect.unreachable('there is no connection') } }),
    readToken: async () => 'xoxb-token',
    signal: new AbortController().signal,
  });
  const stuckFor = async (teamId: string) =>
    (await examine(teamId)).some(({ name }) => name === 'outbox-stuck');
  expect([await stuckFor('T1'), await stuckFor('T2')]).toEqual([true, false]);
});
