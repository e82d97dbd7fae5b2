import { createHash } from 'node:crypto';
import { Secret } from 'base/encryption/secret';
import type { Selectable } from 'kysely';
import type { ConversationsTable, Db } from './schema.ts';

export type StoredConversation = Selectable<ConversationsTable>;

/** The key of what an environment's agents remember of a conversation. */
export const memoryId = (conversationId: string, environmentId: string): string =>
  createHash('sha256')
    .update(JSON.stringify([conversationId, environmentId]))
    .digest('hex');

/** Files that agents keep for the next run of a conversation: their names and keys. */
export function createConversations(db: Db) {
  return {
    async get(id: string): Promise<StoredConversation | undefined> {
      return db
        .selectFrom('service_conversations')
        .selectAll()
        .where('id', '=', id)
        .executeTakeFirst();
    },

    async save(conversation: StoredConversation): Promise<void> {
      const { id, ...rest } = conversation;
      const columns = { ...rest, file_key: new Secret('file_key', id, rest.file_key) };
      await db
        .insertInto('service_conversations')
        .values({ id, ...columns })
        .onConflict((conflict) => conflict.column('id').doUpdateSet(columns))
        .execute();
    },

    /** Lists conversations without the keys of their files. */
    async list(): Promise<Pick<StoredConversation, 'id' | 'environment_id' | 'saved_at'>[]> {
      return db
        .selectFrom('service_conversations')
        .select(['id', 'environment_id', 'saved_at'])
        .execute();
    },

    /** Deletes the key as well, so the conversation's file can't be read anymore. */
    async delete(id: string): Promise<void> {
      await db.deleteFrom('service_conversations').where('id', '=', id).execute();
    },

    async fileNames(): Promise<Set<string>> {
      const rows = await db.selectFrom('service_conversations').select('file_name').execute();
      return new Set(rows.map(({ file_name: name }) => name));
    },
  };
}
export type Conversations = ReturnType<typeof createConversations>;
