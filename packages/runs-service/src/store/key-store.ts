import type { Db, KeysTable, PassesTable } from './schema.ts';

export type StoredKey = KeysTable;

/** Owner of a pass, which signs a browser in: an API key, or a person in Slack. */
export type PassOwner = { key_hash: string } | { slack_team_id: string; slack_user_id: string };
type NewPass = Pick<PassesTable, 'pass_hash' | 'expires_at'> & PassOwner;

/** Creates the store for hashes of API keys and of browser passes. */
export function createKeyStore(db: Db) {
  return {
    async add(key: Omit<StoredKey, 'created_at' | 'revoked_at'>): Promise<void> {
      await db
        .insertInto('service_keys')
        .values({ ...key, created_at: Date.now(), revoked_at: null })
        .execute();
    },

    async list(): Promise<StoredKey[]> {
      return db.selectFrom('service_keys').selectAll().orderBy('created_at').execute();
    },

    async findValid(keyHash: string): Promise<StoredKey | undefined> {
      return db
        .selectFrom('service_keys')
        .selectAll()
        .where('key_hash', '=', keyHash)
        .where('revoked_at', 'is', null)
        .executeTakeFirst();
    },

    /** Returns a valid key of this owner with this role. */
    async findOf(type: string, uid: string, role: string): Promise<StoredKey | undefined> {
      return db
        .selectFrom('service_keys')
        .selectAll()
        .where('creator_type', '=', type)
        .where('creator_uid', '=', uid)
        .where('role', '=', role)
        .where('revoked_at', 'is', null)
        .limit(1)
        .executeTakeFirst();
    },

    /** Revokes the valid keys with this prefix. Returns their number. */
    async revoke(prefix: string): Promise<number> {
      const result = await db
        .updateTable('service_keys')
        .set({ revoked_at: Date.now() })
        .where('prefix', '=', prefix)
        .where('revoked_at', 'is', null)
        .executeTakeFirst();
      return Number(result.numUpdatedRows);
    },

    /** Stores a pass, and deletes expired ones. */
    async addPass(pass: NewPass): Promise<void> {
      await db.deleteFrom('service_passes').where('expires_at', '<', Date.now()).execute();
      const none = { key_hash: null, slack_team_id: null, slack_user_id: null };
      await db
        .insertInto('service_passes')
        .values({ ...none, ...pass })
        .execute();
    },

    async findPass(passHash: string): Promise<PassesTable | undefined> {
      return db
        .selectFrom('service_passes')
        .selectAll()
        .where('pass_hash', '=', passHash)
        .where('expires_at', '>', Date.now())
        .executeTakeFirst();
    },

    async endPass(passHash: string): Promise<void> {
      await db.deleteFrom('service_passes').where('pass_hash', '=', passHash).execute();
    },
  };
}
export type KeyStore = ReturnType<typeof createKeyStore>;
