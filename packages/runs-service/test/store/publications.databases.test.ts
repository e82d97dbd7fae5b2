import { expect, it } from 'vitest';
import { createPublications } from '../../src/store/publications.ts';
import { describeOnDatabase } from '../support/databases.ts';

describeOnDatabase('publications of conversations', (db) => {
  const request = (id: string, conversation_id: string, title = 'T') => ({
    run: { id, conversation_id },
    branch: `agent/${id}`,
    wanted: { mode: 'pull_request' as const, title },
  });

  it('are one for a conversation, whatever is asked at once', async () => {
    const store = createPublications(db());
    const asked = await Promise.all(
      [1, 2, 3, 4].map(() => store.ask(request('run-1', 'conversation-1'))),
    );
    expect(new Set(asked.map(({ id }) => id)).size).toBe(1);
    const found = (await store.ofRuns(['run-1', 'run-0'])).get('run-1');
    expect(found).toMatchObject({ asked: 1, done: 0, mine: 1, branch: 'agent/run-1' });
    const later = await store.ask(request('run-2', 'conversation-1'));
    expect(later).toMatchObject({ id: found?.id, asked: 2, branch: 'agent/run-1', runId: 'run-2' });
    const claimed = await store.claim('one', 60_000, 10);
    expect(claimed.map(({ conversationId }) => conversationId)).toContain('conversation-1');
    expect(await store.claim('other', 60_000, 10)).toEqual([]);
  });

  it('are asked for again only after a failure or with other words', async () => {
    const store = createPublications(db());
    const first = await store.ask(request('run-3', 'conversation-3'));
    const [lease] = await store.claim('one', 60_000, 10);
    if (!lease) throw new Error('nothing was due');
    await store.record(lease, { done: 1, problem: null, tip: 'abc', tried: ['abc'] });
    expect(await store.ask(request('run-3', 'conversation-3'))).toMatchObject({ asked: 1 });
    await store.record(lease, { problem: 'Check the token.' });
    expect(await store.ask(request('run-3', 'conversation-3'))).toMatchObject({ asked: 2 });
    expect(await store.ask(request('run-3', 'conversation-3', 'Other'))).toMatchObject({
      id: first.id,
      asked: 3,
      problem: null,
      tip: 'abc',
      tried: ['abc'],
    });
    expect(await store.release([{ lease, changes: {}, dueAt: null }])).toEqual([]);
    // A request from during the lease is due after it.
    expect(await store.claim('other', 60_000, 10)).toMatchObject([{ id: first.id }]);
    await expect(store.record(lease, { done: 3 })).rejects.toThrow('another replica');
  });
});
