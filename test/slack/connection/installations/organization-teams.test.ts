import { createLogger } from 'base/logger';
import { expect, it } from 'vitest';
import {
  listTeams,
  syncTeams,
} from '../../../../src/slack/connection/installations/organization.ts';
import { createWorkspaceReader } from '../../../../src/slack/connection/installations/workspace-reader.ts';
import { createInstallationStore } from '../../../../src/store/installations.ts';
import { useDatabase } from '../../../support/database/databases.ts';

const database = useDatabase();

/** Builds Slack's list of workspaces with these pages. */
const listOf =
  (...pages: (object[] | undefined)[]) =>
  async ({ cursor = '0' }: { cursor?: string } = {}) => {
    const next = Number(cursor) + 1;
    const next_cursor = next < pages.length ? String(next) : '';
    const teams = pages[Number(cursor)];
    return { ok: true, ...(teams && { teams }), response_metadata: { next_cursor } };
  };

it('all pages of the list are read, and only workspaces are kept', async () => {
  const list = listOf([{ id: 'T1', name: 'One' }, { id: 'E1' }], [{ id: 'T2' }, {}], []);
  expect(await listTeams(list)).toEqual(['T1', 'T2']);
  await expect(listTeams(listOf([{ id: 'T1' }], undefined))).rejects.toThrow('without teams');
});

it('what the list lacks is taken, but not what was given while it was read', async () => {
  const store = createInstallationStore(database());
  await store.giveTeams(['T1', 'T2'], 'E1');
  await store.giveTeams(['T7'], 'E7');
  const changes = await syncTeams('E1', store, async () => {
    await store.giveTeams(['T3'], 'E1');
    return ['T2', 'T4', 'T7'];
  });
  expect(changes).toEqual({ given: ['T4'], taken: ['T1'] });
  expect(await store.teamsOf('E1')).toEqual(['T2', 'T3', 'T4']);
  expect(await store.teamsOf('E7')).toEqual(['T7']);
});

it('a list that Slack rejects or a store that fails stops no other organization', async () => {
  const events: string[] = [];
  let wake = () => {};
  const woken = new Promise<void>((resolve) => {
    wake = resolve;
  });
  const reader = createWorkspaceReader({
    installations: {
      organizations: {
        list: async () => ['E1', 'E2'],
        async read(id) {
          if (id === 'E1') throw new Error('no store');
          return { given: ['T1'], taken: ['T2'] };
        },
        taken: async () => [],
      },
    },
    audit: { note: async ({ action, teamId }) => void events.push(`${action} ${teamId}`) },
    views: { forgetPublished: async (teamId) => void events.push(`forget ${teamId}`) },
    wake: () => wake(),
    logger: createLogger('silent'),
  });
  reader.start();
  await woken;
  await reader.stop();
  expect(events).toEqual([
    'workspace_access_granted T1',
    'workspace_access_revoked T2',
    'forget T2',
  ]);
});
