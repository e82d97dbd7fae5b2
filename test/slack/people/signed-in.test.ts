import type { WebClient } from '@slack/web-api';
import { createLogger } from 'base/logger';
import { requestIdKey } from 'runs-client/create-attempt';
import { describe, expect, it } from 'vitest';
import { rulesKey } from '../../../src/policy/stored-rules.ts';
import { createMcpServerReader } from '../../../src/slack/configuration/keyed-servers.ts';
import { createActors } from '../../../src/slack/people/actors.ts';
import type { Person } from '../../../src/slack/people/people.ts';
import { createPolicies, policyOwner } from '../../../src/slack/people/policies.ts';
import { createRights } from '../../../src/slack/people/rights.ts';
import { createSignedIn } from '../../../src/slack/people/signed-in.ts';
import { createStore } from '../../../src/store/store.ts';
import { useDatabase } from '../../support/database/databases.ts';

const teamId = 'T1';
const requestId = 'of-a-direct-message';
const ours = { run_id: 'run-1', metadata: { [requestIdKey]: requestId } };
const inChannel = { run_id: 'run-4', metadata: { [requestIdKey]: 'C01' } };
const elsewhere = { run_id: 'run-2', metadata: {} };
const ofAnotherBot = { run_id: 'run-3', metadata: { [requestIdKey]: 'unknown' } };

/** Each person is an admin, who can cancel all runs. */
const member: Person = {
  name: 'Ada',
  picture: undefined,
  teamIds: [teamId],
  role: 'member',
  isAdmin: true,
  timeZone: 'UTC',
};
const recallRecent = () => undefined;
const groups = { isIn: async () => false, areVisible: () => true };
const client = { conversations: {} } as WebClient;

describe('a run on a session page', () => {
  const db = useDatabase();

  async function start(seesOthers = true, channelId = 'D01') {
    const store = createStore(db());
    await store.owner.claim(teamId);
    await store.requests.accept({
      id: channelId === 'D01' ? requestId : channelId,
      teamId,
      channelId,
      creatorId: 'creator',
      prompt: 'count',
      title: 'x',
      config: {},
      acceptedAt: 1_000,
    });
    if (channelId === 'C01') {
      const place = { teamId, conversationId: channelId };
      await store.conversations.note(place);
      await store.conversations.write({ ...place, version: 0 }, { kind: 'public' }, 60_000);
    }
    const rule = { name: 'Named', channels: [channelId], people: ['UNAMED'], answer: true };
    await store.settings.write(policyOwner(teamId), rulesKey, [rule]);
    const denySee = async ({ userId }: { userId: string }) =>
      userId === 'guest' ? "Guests can't see agent runs." : undefined;
    const people = { readNames: async () => new Map([['creator', 'Ada']]) };
    const asked = { find: async () => member, findNow: async () => member, recallRecent };
    const logger = createLogger('silent');
    const policies = createPolicies({ ...store, groups, client });
    const actors = createActors({ ...store, people: asked, policies, logger });
    const servers = createMcpServerReader(store.settings);
    const { authorizeAnswer } = createRights({ actors, policies, servers, waitMs: undefined });
    const rights = { denySee, authorizeAnswer };
    return createSignedIn({
      ...store,
      workspaceOf: () => ({ people, rights }),
      isShared: () => !seesOthers,
    });
  }

  it('is seen by those who see it in Slack', async () => {
    const { canSee } = await start();
    expect(await canSee({ teamId, userId: 'creator' }, ours)).toBe(true);
    expect(await canSee({ teamId, userId: 'other' }, ours)).toBe(false);
    expect(await canSee({ teamId, userId: 'other' }, elsewhere)).toBe(true);
    expect(await canSee({ teamId, userId: 'guest' }, elsewhere)).toBe(false);
  });

  it("isn't seen by people of other workspaces, or if another bot started it", async () => {
    const { canSee } = await start();
    for (const run of [ours, elsewhere])
      for (const team of ['T2', ''])
        expect(await canSee({ teamId: team, userId: 'creator' }, run)).toBe(false);
    expect(await canSee({ teamId, userId: 'creator' }, ofAnotherBot)).toBe(false);
  });

  it("isn't seen if it wasn't started from Slack and workspaces share the service", async () => {
    const { canSee } = await start(false);
    expect(await canSee({ teamId, userId: 'creator' }, ours)).toBe(true);
    expect(await canSee({ teamId, userId: 'creator' }, elsewhere)).toBe(false);
  });

  it('is answered in their name by those who see it and may answer it in Slack', async () => {
    const { nameToAnswer } = await start();
    const nameOf = (userId: string, run = ours, team = teamId) =>
      nameToAnswer({ teamId: team, userId }, run);
    expect(await nameOf('creator')).toBe('Ada');
    expect(await nameOf('creator', ours, 'T2')).toBeUndefined();
    expect(await nameOf('creator', ofAnotherBot)).toBeUndefined();
    // Admins outside of the conversation can't answer.
    expect(await nameOf('admin')).toBeUndefined();
    expect(await nameOf('admin', elsewhere as typeof ours)).toBeUndefined();
  });

  it("isn't answered by an admin whom no setting names, though they see it and may cancel it", async () => {
    const { canSee, nameToAnswer } = await start(true, 'C01');
    expect(await canSee({ teamId, userId: 'admin' }, inChannel)).toBe(true);
    expect(await nameToAnswer({ teamId, userId: 'admin' }, inChannel)).toBeUndefined();
    expect(await nameToAnswer({ teamId, userId: 'UNAMED' }, inChannel)).toBe('UNAMED');
  });

  it('is named after the person who started it', async () => {
    const { nameCreator } = await start();
    expect(await nameCreator(ours)).toBe('Ada');
    expect(await nameCreator(elsewhere)).toBeUndefined();
    expect(await nameCreator(ofAnotherBot)).toBeUndefined();
  });
});
