import { beforeEach, describe, expect, it } from 'vitest';
import { tablesWith } from '../../../packages/base/test/support/tables-with.ts';
import { newSession } from '../../../src/slack/runs/agent-session.ts';
import { createAutomations } from '../../../src/store/automations/automations.ts';
import { createFirings } from '../../../src/store/automations/firings.ts';
import { createOutbox } from '../../../src/store/outbox/outbox.ts';
import { createPersonData } from '../../../src/store/people/person-data.ts';
import { createSettings } from '../../../src/store/people/settings.ts';
import { createRequestRemoval } from '../../../src/store/requests/request-removal.ts';
import { createRequestWatchers } from '../../../src/store/requests/request-watchers.ts';
import { createRequests } from '../../../src/store/requests/requests.ts';
import { createRunFeedback } from '../../../src/store/requests/run-feedback.ts';
import { aDefinition, anAutomation } from '../../support/automations.ts';
import { aRequest } from '../../support/builders.ts';
import {
  describeOnWholeDatabase,
  useWholeDatabase,
} from '../../support/database/whole-database.ts';

describeOnWholeDatabase('the data of a person', (db) => {
  const data = () => createPersonData(db());
  const servers = { docs: { url: 'https://mcp.example.com', headers: { key: 'geheim' } } };

  async function addRequest(id: string, creatorId: string, step: string) {
    const place = { teamId: 'T1', channelId: 'C1', acceptedAt: 1_000 };
    await createRequests(db()).accept({
      id,
      creatorId,
      ...place,
      prompt: `prompt of ${id}`,
      title: id,
      config: { mcp_servers: servers },
    });
    const set = { step, run_id: `run-${id}`, ended_at: step === 'ended' ? 2_000 : null };
    await db().updateTable('requests').set(set).where('id', '=', id).execute();
    await createRequestWatchers(db()).set(id, creatorId, true);
    const rating = { userId: creatorId, isGood: true, at: 1_500 };
    await createRunFeedback(db()).give({ id, teamId: 'T1' }, rating);
    await db().updateTable('outbox').set({ state: 'posted' }).where('id', '=', id).execute();
  }

  beforeEach(async () => {
    for (const table of [
      'requests',
      'outbox',
      'request_watchers',
      'run_feedback',
      'settings',
    ] as const)
      await db().deleteFrom(table).execute();
    const settings = createSettings(db());
    for (const userId of ['U1', 'U2'])
      await settings.write({ teamId: 'T1', scope: 'person', scopeId: userId }, 'preset:a', {
        config: { mcp_servers: servers },
      });
    await addRequest('one', 'U1', 'ended');
    await addRequest('two', 'U2', 'ended');
  });

  it('is exported with prompts and settings, without keys', async () => {
    const found = await data().read('U1');
    expect(found).toMatchObject({
      requests: [{ id: 'one', prompt: 'prompt of one', config: { mcp_servers: ['docs'] } }],
      settings: [{ key: 'preset:a', value: { config: { mcp_servers: ['docs'] } } }],
      watched: [{ request_id: 'one' }],
      feedback: [{ request_id: 'one' }],
      audit: [{ action: 'run_started', entity_id: 'one' }],
    });
    expect(JSON.stringify(found)).not.toContain('geheim');
  });

  it('is deleted, and that of others stays', async () => {
    expect(await data().remove('U1')).toEqual({ requests: 1, runIds: ['run-one'] });
    // The audit log keeps its entries about the person.
    const { audit, ...rest } = await data().read('U1');
    expect(audit).not.toEqual([]);
    expect(rest).toEqual({
      requests: [],
      settings: [],
      watched: [],
      ownKeys: [],
      feedback: [],
      answers: [],
      channels: [],
      automations: [],
    });
    const others = await data().read('U2');
    expect(others).toMatchObject({ requests: [{ id: 'two' }] });
    const posts = await db().selectFrom('outbox').select('id').execute();
    expect(posts.map(({ id }) => id)).toEqual(['two']);
    // This post contains the run's title and the creator's name.
    const session = newSession({ ...aRequest(), id: 'two' }, { channelId: 'C1', ts: '1' });
    await createOutbox(db()).plan([session]);
    await data().remove('U2');
    expect(await db().selectFrom('outbox').select('id').execute()).toEqual([]);
  });

  it('includes automations without their secrets, and the history that names the person', async () => {
    const definition = aDefinition({
      trigger: { kind: 'webhook', sender: 'bearer', filter: [] },
    });
    const automations = createAutomations(db());
    await automations.create(anAutomation({ definition }), 'U1', 'geheim');
    await automations.create(anAutomation({ id: 'a2', ownerId: 'U2', name: 'Other' }), 'U2');
    for (const by of ['U1', 'U2'])
      for (const automationId of ['a1', 'a2'])
        await createFirings(db()).add({
          automationId,
          teamId: 'T1',
          key: by,
          happenedAt: 1,
          fired: { kind: 'reaction', channelId: 'C1', ts: '1', by },
        });
    await db().updateTable('automation_firings').set({ state: 'started' }).execute();
    const found = await data().read('U1');
    expect(found.automations).toMatchObject([{ id: 'a1', definition }]);
    expect(JSON.stringify(found)).not.toContain('geheim');
    await data().remove('U1');
    expect((await data().read('U1')).automations).toEqual([]);
    expect((await automations.allOf()).map(({ id }) => id)).toEqual(['a2']);
    const left = await db().selectFrom('automation_firings').select('id').execute();
    expect(left).toEqual([{ id: 'a2 U2' }]);
  });

  it('keeps requests that are not over', async () => {
    await addRequest('three', 'U1', 'following');
    expect(await data().active('U1')).toBe(1);
    await data().remove('U1');
    expect((await data().read('U1')).requests).toMatchObject([{ id: 'three' }]);
  });

  it('is found by its age, when the request is over', async () => {
    await addRequest('three', 'U1', 'following');
    const removal = createRequestRemoval(db());
    expect(await removal.overBefore(2_000, 10)).toEqual([]);
    const old = await removal.overBefore(2_001, 10);
    expect(old.toSorted()).toEqual(['one', 'two']);
    expect(await removal.remove([...old, 'three'])).toBe(2);
  });
});

describe('the tables', () => {
  const db = useWholeDatabase();

  it('with rows of people or requests are the ones that are deleted from', async () => {
    expect(await tablesWith(db(), 'creator_id')).toEqual(['requests']);
    expect(await tablesWith(db(), 'user_id')).toEqual([
      'connections',
      'conversation_members',
      'home_views',
      'request_watchers',
      'run_feedback',
    ]);
    expect(await tablesWith(db(), 'slack_user_id')).toEqual(['service_passes']);
    // Lengths of runs contain no person, so this table isn't listed.
    expect(await tablesWith(db(), 'answered_by')).toEqual(['answers']);
    expect(await tablesWith(db(), 'owner_id')).toEqual(['automations']);
    expect(await tablesWith(db(), 'request_id')).toEqual([
      'answers',
      // History of automations, which is deleted after 90 days.
      'automation_firings',
      'outbox',
      'request_watchers',
      'run_feedback',
      'run_lengths',
    ]);
  });
});
