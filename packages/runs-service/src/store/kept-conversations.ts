import { createHash } from 'node:crypto';
import { Secret } from 'base/encryption/secret';
import type { Selectable } from 'kysely';
import type { ConversationsTable, Db } from './schema.ts';

export type StoredConversation = Selectable<ConversationsTable>;

/** Returns the ID under which an agent's memory of a conversation in an environment is stored. */
export const memoryId = (conversationId: string, environmentId: string): string =>
  createHash('sha256')
    .update(JSON.stringify([conversationId, environmentId]))
    .digest('hex');

/**
 * Creates the store for agents' memories of conversations. It has the names and encryption keys of the files that
 * agents keep for the next run.
 */
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

    /** Lists conversations without the encryption keys of their files. */
    async list(): Promise<Pick<StoredConversation, 'id' | 'environment_id' | 'saved_at'>[]> {
      return db
        .selectFrom('service_conversations')
        .select(['id', 'environment_id', 'saved_at'])
        .execute();
    },

    /** Deletes a conversation and the encryption key of its file, so the file can't be decrypted anymore. */
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
