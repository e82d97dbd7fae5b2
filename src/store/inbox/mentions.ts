import type { Db } from '../schema.ts';

/** `receivedAt` is epoch milliseconds. */
export type TakenMention = { id: string; mention: unknown; receivedAt: number };

export type Mentions = ReturnType<typeof createMentions>;

/** Slack repeats a delivery for about five minutes. Handled mentions are kept longer, to recognize it. */
const keptMs = 60 * 60 * 1000;

/** Mentions of the app, stored before they are acknowledged. A mention whose process died is due again after a while. */
export function createMentions(db: Db) {
  return {
    /** Answers false for a repeated delivery. */
    async keep(id: string, mention: unknown, now: number): Promise<boolean> {
      const row = { id, mention_json: JSON.stringify(mention), received_at: now, due_at: now };
      const inserted = await db
        .insertInto('mentions')
        .values(row)
        .onConflict((conflict) => conflict.column('id').doNothing())
        .executeTakeFirst();
      return inserted.numInsertedOrUpdatedRows === 1n;
    },

    /** A mention that is due, held until `until`; two processes never get the same. */
    async take(now: number, until: number): Promise<TakenMention | undefined> {
      const due = await db
        .selectFrom('mentions')
        .select(['id', 'due_at'])
        .where('due_at', '<=', now)
        .orderBy('due_at')
        .limit(10)
        .execute();
      for (const { id, due_at: dueAt } of due) {
        const row = await db
          .updateTable('mentions')
          .set({ due_at: until })
          .where('id', '=', id)
          .where('due_at', '=', dueAt)
          .returning(['mention_json', 'received_at'])
          .executeTakeFirst();
        if (row) {
          const mention: unknown = JSON.parse(row.mention_json);
          return { id, mention, receivedAt: row.received_at };
        }
      }
      return undefined;
    },

    /** Forgets what the mention said, but not that it arrived. */
    async finish(id: string, now: number): Promise<void> {
      await db
        .updateTable('mentions')
        .set({ due_at: null, mention_json: '{}' })
        .where('id', '=', id)
        .execute();
      await db
        .deleteFrom('mentions')
        .where('due_at', 'is', null)
        .where('received_at', '<', now - keptMs)
        .execute();
    },
  };
}
