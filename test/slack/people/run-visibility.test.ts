import { requestIdKey } from 'runs-client/create-attempt';
import { describe, expect, it } from 'vitest';
import { createRunVisibility } from '../../../src/slack/people/run-visibility.ts';
import { createSignedIn } from '../../../src/slack/people/signed-in.ts';
import { createStore } from '../../../src/store/store.ts';
import { useDatabase } from '../../support/databases.ts';

const teamId = 'T1';
const requestId = 'of-a-direct-message';
const ours = { run_id: 'run-1', metadata: { [requestIdKey]: requestId } };
const elsewhere = { run_id: 'run-2', metadata: {} };
const ofAnotherBot = { run_id: 'run-3', metadata: { [requestIdKey]: 'unknown' } };

describe('a run on a session page', () => {
  const db = useDatabase();

  async function start(seesOthers = true) {
    const store = createStore(db());
    await store.owner.claim(teamId);
    await store.requests.accept({
      ...{ id: requestId, teamId, channelId: 'D1', creatorId: 'creator', prompt: 'count' },
      ...{ title: 'x', config: {}, acceptedAt: 1_000 },
    });
    const refuseSee = async ({ userId }: { userId: string }) =>
      userId === 'guest' ? "Guests can't see agent runs." : undefined;
    const refuseCancel = async ({ creatorId }: { creatorId: string }, userId: string) =>
      userId === creatorId || userId === 'admin' ? undefined : 'Only admins can do that.';
    const people = { readNames: async () => new Map([['creator', 'Ada']]) };
    const rights = { refuseSee, refuseCancel };
    const visibility = createRunVisibility({ ...store, people, rights, seesOthers });
    return createSignedIn({ ...store, workspaceOf: () => ({ visibility }) });
  }

  it('is seen by those who see it in Slack', async () => {
    const { maySee } = await start();
    expect(await maySee({ teamId, userId: 'creator' }, ours)).toBe(true);
    expect(await maySee({ teamId, userId: 'other' }, ours)).toBe(false);
    expect(await maySee({ teamId, userId: 'other' }, elsewhere)).toBe(true);
    expect(await maySee({ teamId, userId: 'guest' }, elsewhere)).toBe(false);
  });

  it("isn't seen by people of other workspaces, or if another bot started it", async () => {
    const { maySee } = await start();
    for (const run of [ours, elsewhere])
      for (const team of ['T2', ''])
        expect(await maySee({ teamId: team, userId: 'creator' }, run)).toBe(false);
    expect(await maySee({ teamId, userId: 'creator' }, ofAnotherBot)).toBe(false);
  });

  it("isn't seen if it wasn't started from Slack and workspaces share the service", async () => {
    const { maySee } = await start(false);
    expect(await maySee({ teamId, userId: 'creator' }, ours)).toBe(true);
    expect(await maySee({ teamId, userId: 'creator' }, elsewhere)).toBe(false);
  });

  it('is changed by those who see it and may cancel it, in their name', async () => {
    const { nameToChange } = await start();
    const nameOf = (userId: string, run = ours, team = teamId) =>
      nameToChange({ teamId: team, userId }, run);
    expect(await nameOf('creator')).toBe('Ada');
    expect(await nameOf('creator', ours, 'T2')).toBeUndefined();
    // An admin outside of the conversation.
    expect(await nameOf('admin')).toBeUndefined();
    expect(await nameOf('admin', elsewhere as typeof ours)).toBeUndefined();
    expect(await nameOf('creator', ofAnotherBot)).toBeUndefined();
  });
});
