import { createHash } from 'node:crypto';
import { Secret } from 'base/encryption/secret';
import type { Selectable } from 'kysely';
import type { Db, ServiceConversationsTable } from './schema.ts';

export type StoredConversation = Selectable<ServiceConversationsTable>;

/** The key of what an environment's agents remember of a conversation. */
export const memoryId = (conversationId: string, environmentId: string): string =>
  createHash('sha256')
    .update(JSON.stringify([conversationId, environmentId]))
    .digest('hex');

/** What is kept of conversations with agents: where the file is, and its key. */
export function createServiceConversations(db: Db) {
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

    /** Without the keys of their files. */
    async list(): Promise<Pick<StoredConversation, 'id' | 'environment_id' | 'saved_at'>[]> {
      return db
        .selectFrom('service_conversations')
        .select(['id', 'environment_id', 'saved_at'])
        .execute();
    },

    /** Without its key, a file can't be read any more. */
    async delete(id: string): Promise<void> {
      await db.deleteFrom('service_conversations').where('id', '=', id).execute();
    },

    async fileNames(): Promise<Set<string>> {
      const rows = await db.selectFrom('service_conversations').select('file_name').execute();
      return new Set(rows.map(({ file_name: name }) => name));
    },
  };
}
export type ServiceConversations = ReturnType<typeof createServiceConversations>;
