import { expect, it } from 'vitest';
import { runMessageOf } from '../../../src/store/outbox/message-posts.ts';
import type { Db } from '../../../src/store/schema.ts';
import { createStore } from '../../../src/store/store.ts';
import { describeOnDatabase } from '../../support/database/databases.ts';

const nothingDue = { due_at: null };

function useOutbox(database: () => Db) {
  const store = () => createStore(database());
  const plan = (id: string) => store().outbox.plan([runMessageOf({ id, teamId: 'T1' })]);
  return {
    plan,

    /** A request with a message that shows what it should. */
    async show(id: string): Promise<void> {
      const asked = { teamId: 'T1', creatorId: 'U1', channelId: 'C1', prompt: 'p', title: 't' };
      await store().requests.accept({ id, ...asked, config: {}, acceptedAt: 1 });
      await plan(id);
      const followed = { step: 'following', ...nothingDue } as const;
      await database().updateTable('requests').set(followed).where('id', '=', id).execute();
      const shown = { state: 'posted', ...nothingDue } as const;
      await database().updateTable('outbox').set(shown).where('id', '=', id).execute();
    },

    async change(id: string): Promise<void> {
      const asked = { cancel_asked_at: Date.now() };
      await database().updateTable('requests').set(asked).where('id', '=', id).execute();
    },

    async dueSince(id: string, ms: number): Promise<void> {
      const due = { due_at: Date.now() - ms };
      await database().updateTable('outbox').set(due).where('id', '=', id).execute();
    },

    next: async () => (await store().posting.leases.claim('test', 60_000, 1)).map(({ id }) => id),
  };
}

describeOnDatabase('the outbox', (database) => {
  it('posts the message of a new run before it updates messages that waited longer', async () => {
    const { plan, show, change, dueSince, next } = useOutbox(database);
    for (const id of ['one', 'two']) await show(id);
    for (const id of ['one', 'two']) await change(id);
    for (const id of ['one', 'two']) await dueSince(id, 10_000);
    await plan('new');
    expect(await next()).toEqual(['new']);
    expect([...(await next()), ...(await next())].toSorted()).toEqual(['one', 'two']);
    expect(await next()).toEqual([]);
  });

  it('updates the message first that waits longest, also if it changes again', async () => {
    const { show, change, dueSince, next } = useOutbox(database);
    for (const id of ['later', 'first']) await show(id);
    await change('first');
    await dueSince('first', 10_000);
    await change('later');
    expect([await next(), await next()]).toEqual([['first'], ['later']]);
  });
});
