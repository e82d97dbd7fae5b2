import { z } from 'zod';
import type { Db } from './database.ts';

/** What goes with a form and does not fit into it: Slack keeps 3,000 characters with a view. */
const draftSchema = z.object({
  /** Text from Slack that is sent after the prompt, with secrets masked. */
  context: z.string(),
  messages: z.number(),
  /** What stands behind each mask, should the person want it sent. */
  secrets: z.record(z.string(), z.string()),
});
export type Draft = z.infer<typeof draftSchema>;

export type Drafts = ReturnType<typeof createDrafts>;

/** Nobody leaves a form open for so long; what lies behind masks is not kept for longer. */
const keptMs = 60 * 60 * 1000;

export function createDrafts(db: Db) {
  return {
    async write(id: string, draft: Draft, now: number): Promise<void> {
      const value = { value_json: JSON.stringify(draft), created_at: now };
      await db
        .deleteFrom('drafts')
        .where('created_at', '<', now - keptMs)
        .execute();
      await db
        .insertInto('drafts')
        .values({ id, ...value })
        .onConflict((conflict) => conflict.column('id').doUpdateSet(value))
        .execute();
    },

    async read(id: string): Promise<Draft | undefined> {
      const row = await db
        .selectFrom('drafts')
        .select('value_json')
        .where('id', '=', id)
        .executeTakeFirst();
      return row && draftSchema.parse(JSON.parse(row.value_json));
    },

    async remove(id: string): Promise<void> {
      await db.deleteFrom('drafts').where('id', '=', id).execute();
    },
  };
}
