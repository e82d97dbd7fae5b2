import { runMessageOf } from '../../../src/store/outbox/message-posts.ts';
import type { Db } from '../../../src/store/schema.ts';
import { createStore } from '../../../src/store/store.ts';

const nothingDue = { due_at: null };

/** An outbox with run messages, each due when the test wants it. */
export function useOutbox(database: () => Db) {
  const store = () => createStore(database());
  const plan = (id: string) => store().outbox.plan([runMessageOf({ id, teamId: 'T1' })]);
  return {
    plan,

    /** Adds a request whose message is up to date. */
    async show(id: string): Promise<void> {
      const asked = { teamId: 'T1', creatorId: 'U1', channelId: 'C1', prompt: 'p', title: 't' };
      await store().requests.accept({ id, ...asked, config: {}, acceptedAt: 1 });
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
