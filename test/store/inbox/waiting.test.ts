import { expect, it } from 'vitest';
import type { RequestChanges } from '../../../src/store/requests/request-row.ts';
import { createStore } from '../../../src/store/store.ts';
import { describeOnEveryDatabase } from '../../support/databases.ts';

const hourMs = 3_600_000;

describeOnEveryDatabase('mentions and workflow steps', (database) => {
  it('gives a mention to one process, again if that one is gone, and never after it is finished', async () => {
    const { mentions } = createStore(database());
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

  it('remembers waiting workflow steps, each once', async () => {
    const { waits } = createStore(database());
    expect(await waits.isEmpty()).toBe(true);
    await waits.add({ executionId: 'Fx1', requestId: 'r1' }, 'end', 1);
    await waits.add({ executionId: 'Fx1', requestId: 'r2' }, 'end', 2);
    expect(await waits.ready()).toEqual([{ executionId: 'Fx1', requestId: 'r1' }]);
    await waits.remove('Fx1');
    expect(await waits.isEmpty()).toBe(true);
  });

  it('lists the steps whose runs are ready, however many older ones wait', async () => {
    const { requests, waits, following } = createStore(database());
    const { leases } = following;
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
