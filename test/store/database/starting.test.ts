import { expect, it } from 'vitest';
import { createMentions } from '../../../src/store/inbox/mentions.ts';
import { createWorkflowWaits } from '../../../src/store/inbox/workflow-waits.ts';
import { createDrafts } from '../../../src/store/people/drafts.ts';
import { createSettings } from '../../../src/store/people/settings.ts';
import { createSubmissions } from '../../../src/store/people/submissions.ts';
import { createRequestLeases } from '../../../src/store/requests/request-leases.ts';
import { createRequestLookup } from '../../../src/store/requests/request-lookup.ts';
import type { RequestChanges } from '../../../src/store/requests/request-row.ts';
import { createRequests } from '../../../src/store/requests/requests.ts';
import { describeOnEveryDatabase } from '../../support/databases.ts';

const hourMs = 3_600_000;
const aDraft = {
  ...{ context: 'c', messages: 1, left: 0, rest: 'r' },
  ...{ notices: ['said'], names: { id: 'name' }, isWanted: true },
};

describeOnEveryDatabase('what is stored of starting runs', (database) => {
  it('keeps the origin of a request, and finds it by what people type', async () => {
    const requests = createRequests(database());
    const lookup = createRequestLookup(database());
    const origin = { kind: 'mention' as const, threadTs: '1.0', fields: { model_id: 'typed' } };
    const base = { teamId: 'T1', creatorId: 'U1', channelId: 'C1', prompt: 'p', title: 't' };
    await requests.accept({ ...base, id: 'a', config: { model_id: 'm' }, origin, acceptedAt: 1 });
    await requests.accept({ ...base, id: 'b', config: {}, acceptedAt: 2 });
    await database()
      .updateTable('requests')
      .set({ run_id: 'run_1%x', message_channel_id: 'C1', message_ts: '5.0', step: 'following' })
      .where('id', '=', 'a')
      .execute();
    // What was just accepted was not used before.
    expect(await lookup.recentConfigs('T1', { channelId: 'C1' })).toEqual([{ model_id: 'm' }]);
    await database()
      .updateTable('requests')
      .set({ step: 'posted' })
      .where('id', '=', 'b')
      .execute();

    expect((await requests.find('a'))?.origin).toEqual(origin);
    expect((await requests.find('b'))?.origin).toBeNull();
    expect((await lookup.findByMessage('T1', { channelId: 'C1', ts: '5.0' }))?.id).toBe('a');
    expect(await lookup.findByMessage('T2', { channelId: 'C1', ts: '5.0' })).toBeUndefined();
    const idsOf = async (prefix: string) =>
      (await lookup.findByRunPrefix('T1', prefix)).map(({ id }) => id);
    expect(await idsOf('run_1%')).toEqual(['a']);
    expect(await idsOf('runX1')).toEqual([]);
    expect(await idsOf('RUN')).toEqual([]);
    const inThread = { channelId: 'C1', threadTs: '1.0' };
    expect((await lookup.findLiveInThread('T1', inThread))?.id).toBe('a');
    expect((await lookup.findLiveInThread('T1', { ...inThread, threadTs: '5.0' }))?.id).toBe('a');
    expect(await lookup.findLiveInThread('T1', { ...inThread, threadTs: '2.0' })).toBeUndefined();
    const [older, newer] = [{ model_id: 'm' }, {}];
    expect(await lookup.recentConfigs('T1', { channelId: 'C1' })).toEqual([newer, older]);
    expect(await lookup.recentConfigs('T1', { channelId: 'C2' })).toEqual([]);
    expect(await lookup.recentConfigs('T1', { creatorId: 'U1' })).toEqual([newer, older]);
    expect(await lookup.recentConfigs('T1', { creatorId: 'U2' })).toEqual([]);
    expect(await lookup.recentConfigs('T1', {}, 1)).toEqual([newer]);
    expect(await lookup.recentConfigs('T2', {})).toEqual([]);
  });

  it('keeps a draft until it is used, and deletes old ones', async () => {
    const drafts = createDrafts(database());
    await drafts.write('old', aDraft, 0);
    await drafts.write('new', { ...aDraft, context: '' }, 1);
    await drafts.write('new', aDraft, hourMs + 2);
    expect(await drafts.read('old')).toBeUndefined();
    expect(await drafts.read('new')).toEqual({ ...aDraft, isWhole: false });
    await drafts.markExpanded('new');
    await drafts.write('new', aDraft, hourMs + 3);
    expect(await drafts.read('new')).toEqual({ ...aDraft, isWhole: true });
    await drafts.remove('new');
    expect(await drafts.read('new')).toBeUndefined();
  });

  it('gives a mention to one process, again if that one is gone, and never after it is finished', async () => {
    const mentions = createMentions(database());
    expect(await mentions.keep('Ev1', { words: 'go' }, 10)).toBe(true);
    expect(await mentions.keep('Ev1', { words: 'again' }, 11)).toBe(false);
    const taken = await Promise.all([mentions.take(20, 100), mentions.take(20, 100)]);
    expect(taken.filter(Boolean)).toEqual([
      { id: 'Ev1', mention: { words: 'go' }, receivedAt: 10 },
    ]);
    expect(await mentions.take(50, 100)).toBeUndefined();
    expect(await mentions.take(100, 200)).toMatchObject({ id: 'Ev1' });
    await mentions.finish('Ev1', 120);
    expect(await mentions.take(300, 400)).toBeUndefined();
    expect(await mentions.keep('Ev1', {}, 400)).toBe(false);
    await mentions.finish('other', hourMs + 500);
    expect(await mentions.keep('Ev1', {}, hourMs + 501)).toBe(true);
  });

  it('reads the settings of each scope for one person in one channel', async () => {
    const settings = createSettings(database());
    const workspace = { teamId: 'T1', scope: 'workspace', scopeId: 'T1' } as const;
    const person = { teamId: 'T1', scope: 'person', scopeId: 'U1' } as const;
    await settings.write(workspace, 'run.defaults', { model_id: 'w' });
    await settings.write(person, 'run.defaults', { model_id: 'p' });
    await settings.write(person, 'another', 1);
    await settings.write({ ...person, scopeId: 'U2' }, 'run.defaults', { model_id: 'other' });
    await settings.write({ ...person, scopeId: 'C1' }, 'run.defaults', { model_id: 'odd' });
    await settings.write({ ...person, teamId: 'T2' }, 'run.defaults', { model_id: 'elsewhere' });
    const asker = { teamId: 'T1', channelId: 'C1', userId: 'U1' };
    expect(Object.fromEntries(await settings.readLayers(asker, 'run.defaults'))).toEqual({
      workspace: { model_id: 'w' },
      person: { model_id: 'p' },
    });
    expect((await settings.readLayers(asker, 'nothing')).size).toBe(0);

    const submissions = createSubmissions(database());
    const submission = { ...asker, draftId: 'd', key: 'run.defaults' };
    const { draft, layers } = await submissions.read(submission);
    expect(draft).toBeUndefined();
    expect(layers).toEqual(await settings.readLayers(asker, 'run.defaults'));
    const drafts = createDrafts(database());
    await drafts.write('d', aDraft, 1);
    await drafts.markExpanded('d');
    const { draft: kept, layers: none } = await submissions.read({ ...submission, key: 'nothing' });
    expect(kept).toEqual(await drafts.read('d'));
    expect(kept).toEqual({ ...aDraft, isWhole: true });
    expect(none.size).toBe(0);
  });

  it('lists settings by key prefix, of one owner only', async () => {
    const settings = createSettings(database());
    const owner = { teamId: 'T1', scope: 'person', scopeId: 'U1' } as const;
    await settings.write(owner, 'preset:b', 2);
    await settings.write(owner, 'preset:a', 1);
    await settings.write(owner, 'other', 3);
    await settings.write({ ...owner, scopeId: 'U2' }, 'preset:c', 4);
    expect(await settings.list(owner, 'preset:')).toEqual([
      { key: 'preset:a', value: 1 },
      { key: 'preset:b', value: 2 },
    ]);
    expect(await settings.remove(owner, 'preset:a')).toBe(true);
    expect(await settings.remove(owner, 'preset:a')).toBe(false);
  });

  it('remembers waiting workflow steps, each once', async () => {
    const waits = createWorkflowWaits(database());
    expect(await waits.isEmpty()).toBe(true);
    await waits.add({ executionId: 'Fx1', requestId: 'r1' }, 'end', 1);
    await waits.add({ executionId: 'Fx1', requestId: 'r2' }, 'end', 2);
    expect(await waits.ready()).toEqual([{ executionId: 'Fx1', requestId: 'r1' }]);
    await waits.remove('Fx1');
    expect(await waits.isEmpty()).toBe(true);
  });

  it('lists the steps whose runs are ready, however many older ones wait', async () => {
    const requests = createRequests(database());
    const leases = createRequestLeases(database());
    const waits = createWorkflowWaits(database());
    await database().deleteFrom('requests').execute();
    const base = { teamId: 'T1', creatorId: 'U1', channelId: 'C1', prompt: 'p', title: 't' };
    async function startStep(id: string, waitsFor: 'end' | 'beginning', changes: RequestChanges) {
      await requests.accept({ ...base, id, config: {}, acceptedAt: 1 });
      await waits.add({ executionId: `Fx-${id}`, requestId: id }, waitsFor, 1_000 + Number(id));
      const [lease] = await leases.claim('somebody', 60_000, 1);
      if (!lease) throw new Error('nothing is due');
      await leases.record(lease, changes);
    }
    for (let id = 0; id < 210; id += 1)
      await startStep(`${id}`, 'end', { step: 'following', runId: `run-${id}` });
    await startStep('300', 'beginning', { step: 'posted' });
    await startStep('301', 'beginning', { step: 'following', runId: 'run-301' });
    await startStep('302', 'end', { step: 'ended', runId: 'run-302' });
    await startStep('303', 'end', { step: 'not_started' });
    await waits.add({ executionId: 'Fx-304', requestId: 'of nothing' }, 'end', 2_000);
    const told = (await waits.ready()).map(({ executionId }) => executionId);
    expect(told).toEqual(['Fx-301', 'Fx-302', 'Fx-303', 'Fx-304']);
  });
});
