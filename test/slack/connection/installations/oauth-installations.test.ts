import { createLogger } from 'base/logger';
import { describe, expect, it } from 'vitest';
import { createOAuthInstallations } from '../../../../src/slack/connection/installations/oauth-installations.ts';
import { createInstallationStore } from '../../../../src/store/installations.ts';
import { useDatabase } from '../../../support/database/databases.ts';

const database = useDatabase();
const logger = createLogger('silent');
const oauth = { scopes: [], publicUrl: 'https://agent.example.org' };

/** Stores an older installation in an organization with two workspaces. */
async function start(accepted: readonly string[]) {
  for (const table of ['installations', 'workspaces', 'conversations'] as const)
    await database().deleteFrom(table).execute();
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
  await store.giveTeams(['T1', 'T2'], 'E1');
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
    listTeams: async () => [],
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
  expect(await installations.organizations?.taken(['T3', 'T9'], 'E1')).toEqual(['T3']);
  expect(await installations.organizations?.taken(['T4'], 'E2')).toEqual([]);
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

describe('a click in an organization', () => {
  const click = (more: object) => ({
    type: 'block_actions',
    team: null,
    user: { id: 'U9', team_id: 'T1' },
    enterprise: { id: 'E1' },
    is_enterprise_install: true,
    ...more,
  });
  const view = (team: string) => ({ team_id: 'T1', private_metadata: JSON.stringify({ team }) });
  const block = (id: string) => ({ actions: [{ block_id: id, value: 'T1-C1-1.2' }] });

  it.each([
    ['what the view says', { view: view('T2') }, 'T2'],
    ['what the block says', { ...block('T2-0-x'), message: { team: 'T1' } }, 'T2'],
    ['what the searched block says', { type: 'block_suggestion', block_id: 'T2-0-x' }, 'T2'],
    ['the run of an older button', { actions: [{ value: 'T2-C1-1.2' }] }, 'T2'],
    ['the run of an entity', { actions: [{ value: 'cancel:T2-C1-1.2' }] }, 'T2'],
    ['the message', { message: { team: 'T2' } }, 'T2'],
    ['the person, if nothing else is known', { message: { team: 'E1' }, view: {} }, 'T1'],
    ['nothing, if the view names a workspace without the app', { view: view('T9') }, undefined],
    ['nothing, if the block names one', block('T9-0-x'), undefined],
    ['nothing, if the view names the organization', { view: view('E1') }, undefined],
    ['nothing, if only the organization is named', { user: { team_id: 'E1' } }, undefined],
    [
      'anyone who can ask, for a global shortcut',
      { type: 'shortcut', user: { team_id: 'E1' } },
      'T1',
    ],
  ])('is for %s', async (_, more, teamId) => {
    const { installations } = await start(['fresh']);
    expect((await installations.find(click(more)))?.teamId).toBe(teamId);
  });

  it("isn't for another organization's workspace, whatever it names", async () => {
    const { store, installations } = await start(['fresh']);
    const other = { id: 'E2', teamId: undefined, name: 'Other', botId: 'B5', botUserId: 'U5' };
    const token = { token: 't', refreshToken: null, expiresAt: null };
    await store.save({ ...other, ...token, installedBy: 'U6', scopes: [] });
    await store.giveTeams(['T5'], 'E2');
    for (const more of [{ view: view('T5') }, block('T5-0-x')])
      expect(await installations.find(click(more))).toBeUndefined();
    expect(await installations.find(click({ message: { team: 'T5' } }))).toMatchObject({
      teamId: 'T1',
    });
  });

  it('is for the only workspace, if Slack names none', async () => {
    const { store, installations } = await start(['fresh']);
    await store.takeTeams(['T1'], 'E1');
    expect(await installations.find(click({ user: { team_id: 'E1' } }))).toMatchObject({
      teamId: 'T2',
    });
    expect(await installations.find(click({ view: view('T1') }))).toBeUndefined();
  });
});

/** Builds an event in a channel that is shared with another company, for an organization's installation. */
const shared = (teamId: string | null, more: object = {}) => ({
  type: 'event_callback',
  team_id: teamId,
  enterprise_id: null,
  context_team_id: null,
  is_ext_shared_channel: true,
  authorizations: [{ enterprise_id: 'E1', team_id: null, is_enterprise_install: true }],
  event: { type: 'message', channel: 'C1', user: 'U9', text: 'hello' },
  ...more,
});
const teamsIn = async () => {
  const rows = await database().selectFrom('workspaces').select('team_id').execute();
  return rows.map((each) => each.team_id).toSorted();
};

it("a delivery adds no workspace, and another company's is only for a channel that is known", async () => {
  const { store, installations } = await start(['fresh']);
  const other = { id: 'T5', teamId: 'T5', name: 'Other', botId: 'B5', botUserId: 'U5' };
  await store.save({
    ...other,
    ...{ installedBy: 'U6', scopes: [], token: 't', refreshToken: null, expiresAt: null },
  });
  for (const foreign of ['T9', 'T5', 'E1', 'E9', 't1', '', null, 7])
    expect(await installations.find(shared(foreign as string))).toBeUndefined();
  const conversation = { is_public: 1, due_at: 0 };
  await database()
    .insertInto('conversations')
    .values([
      { team_id: 'T2', id: 'C1', ...conversation },
      { team_id: 'T5', id: 'C2', ...conversation },
    ])
    .execute();
  expect(await installations.find(shared('T9'))).toMatchObject({ teamId: 'T2' });
  for (const channel of ['C1', { id: 'C1' }]) {
    const event = { type: 'channel_rename', channel };
    expect(await installations.find(shared(null, { event }))).toMatchObject({ teamId: 'T2' });
  }
  const reaction = { type: 'reaction_added', item: { channel: 'C1' } };
  expect(await installations.find(shared('T9', { event: reaction }))).toMatchObject({
    teamId: 'T2',
  });
  // The author's workspace doesn't have the app, but the channel's workspace does.
  expect(await installations.find(shared('T8', { is_ext_shared_channel: false }))).toMatchObject({
    teamId: 'T2',
  });
  // This channel is known, but not in a workspace of this organization.
  const elsewhere = { type: 'message', channel: 'C2' };
  expect(await installations.find(shared('T9', { event: elsewhere }))).toBeUndefined();
  // Events of our own people belong to their workspace.
  expect(await installations.find(shared('T1'))).toMatchObject({ teamId: 'T1' });
  expect(await installations.find(shared('T9', { context_team_id: 'T1' }))).toMatchObject({
    teamId: 'T1',
  });
  const own = {
    command: '/agent',
    team_id: 'T5',
    enterprise_id: 'E1',
    is_enterprise_install: 'true',
  };
  expect(await installations.find(own)).toMatchObject({ teamId: 'T5' });
  expect(await teamsIn()).toEqual(['T1', 'T2', 'T5']);
});

it('an organization gives only workspaces, only its own ones, and only if the app is installed in it', async () => {
  const { installations } = await start(['fresh']);
  const hostile = ['E1', 'E9', 'T9; drop', 't4', '', 'C1', null, { id: 'T8' }] as string[];
  await installations.find(changed('team_access_granted', ...hostile));
  await installations.find({ ...changed('team_access_granted', 'T3'), enterprise_id: 'E2' });
  await installations.find({ ...changed('team_access_granted', 'T3'), enterprise_id: undefined });
  await installations.find({ ...changed('team_access_granted'), event: { type: 'message' } });
  for (const ids of [undefined, 'T3', 3, { 0: 'T3' }])
    await installations.find(event({ event: { type: 'team_access_granted', team_ids: ids } }));
  expect(await teamsIn()).toEqual(['T1', 'T2']);
});

it('a workspace that no organization gave is unknown to every kind of delivery', async () => {
  const { installations } = await start(['fresh']);
  const whole = { enterprise_id: 'E1', is_enterprise_install: 'true' };
  const command = { command: '/agent', ...whole };
  const click = { type: 'block_actions', user: { id: 'U9', team_id: 'T9' }, ...whole };
  const home = { event: { type: 'app_home_opened', user: 'U9', channel: 'D1' } };
  for (const body of [
    { ...command, team_id: 'T9' },
    { ...command, team_id: 'E1' },
    { command: '/agent', team_id: 'T9', enterprise_id: 'E1' },
    click,
    { ...click, user: { id: 'U9', team_id: 'E1' } },
    shared('T9', { ...home, is_ext_shared_channel: false }),
    shared('E1', { ...home, is_ext_shared_channel: false }),
  ])
    expect(await installations.find(body)).toBeUndefined();
  expect(await installations.find({ ...command, team_id: 'T1' })).toMatchObject({ teamId: 'T1' });
  expect(await teamsIn()).toEqual(['T1', 'T2']);
});
