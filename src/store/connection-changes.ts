import { randomUUID } from 'node:crypto';
import { nowMs } from 'base/database/clock';
import { lockUntilCommit } from 'base/database/lock-until-commit';
import { Secret } from 'base/encryption/secret';
import { type SqlBool, sql } from 'kysely';
import { operatorConnection, ownKeyOf } from '../requests/connection.ts';
import { liveSteps } from '../requests/steps.ts';
import { insertEntry } from './audit/audit.ts';
import type { ConnectionKey } from './connection-keys.ts';
import { updateMany } from './requests/lock-order.ts';
import type { Db } from './schema.ts';

type Person = { teamId: string; userId: string };

export type ConnectionChanges = ReturnType<typeof createConnectionChanges>;

export const mostConnections = 20;

/**
 * Adds and removes connections and keys, and records who did it in the audit log. A removed connection keeps its row
 * without the key, so that its runs can tell what happened.
 */
export function createConnectionChanges(db: Db) {
  return {
    /**
     * Adds a connection and returns its ID, even if the same one already exists. Returns undefined if the name is
     * taken, or if there are too many.
     */
    add: (
      { teamId, userId }: Person,
      { name, baseUrl, apiKey }: ConnectionKey & { name: string },
    ): Promise<string | undefined> =>
      db.transaction().execute(async (trx) => {
        await lockUntilCommit(trx, `connections of ${teamId}`);
        const known = await trx
          .selectFrom('connections')
          .select(['id', 'name', 'base_url', 'api_key'])
          .where('team_id', '=', teamId)
          .where('name', 'is not', null)
          .where('api_key', 'is not', null)
          .execute();
        const same = known.find((each) => each.name === name);
        if (same) return same.base_url === baseUrl && same.api_key === apiKey ? same.id : undefined;
        if (known.length >= mostConnections) return undefined;
        const id = randomUUID();
        const row = { id, team_id: teamId, name, base_url: baseUrl, added_at: Date.now() };
        await insert(trx, { ...row, api_key: new Secret('api_key', id, apiKey) });
        const details = { name, host: new URL(baseUrl).host };
        await note(trx, { teamId, userId, action: 'connection_added', id, details });
        return id;
      }),

    /** Replaces the key of a connection. Returns true if the connection exists. */
    replaceKey: ({ teamId, userId }: Person, id: string, apiKey: string): Promise<boolean> =>
      db.transaction().execute(async (trx) => {
        const replaced = await trx
          .updateTable('connections')
          .set({ api_key: new Secret('api_key', id, apiKey), due_at: nowMs(trx) })
          .where('id', '=', id)
          .where('team_id', '=', teamId)
          .where('user_id', 'is', null)
          .where('api_key', 'is not', null)
          .executeTakeFirst();
        if (replaced.numUpdatedRows === 0n) return false;
        await note(trx, { teamId, userId, action: 'connection_key_replaced', id });
        return true;
      }),

    /** Removes a connection, including people's own keys for it. Returns true if it existed. */
    remove: ({ teamId, userId }: Person, id: string): Promise<boolean> =>
      db.transaction().execute(async (trx) => {
        const isThere = await forget(trx, teamId, sql<SqlBool>`id = ${id} and user_id is null`);
        if (!isThere) return false;
        await forget(trx, teamId, sql<SqlBool>`id like ${`${id}/%`}`);
        await pollNow(trx, 'service_id', id);
        await note(trx, { teamId, userId, action: 'connection_removed', id });
        return true;
      }),

    /**
     * Stores a person's own key for a connection, replacing an earlier one. Returns false if the connection doesn't
     * exist.
     */
    connect: (person: Person, serviceId: string, key: ConnectionKey): Promise<boolean> =>
      db.transaction().execute(async (trx) => {
        const { teamId, userId } = person;
        if (serviceId !== operatorConnection && !(await isKept(trx, teamId, serviceId)))
          return false;
        const id = ownKeyOf(serviceId, person);
        const api_key = new Secret('api_key', id, key.apiKey);
        const row = { id, team_id: teamId, user_id: userId, base_url: key.baseUrl };
        await insert(trx, { ...row, added_at: Date.now(), api_key });
        await note(trx, { teamId, userId, action: 'key_connected', id: serviceId });
        return true;
      }),

    /** Removes a person's own key. Returns true if it existed. */
    disconnect: (person: Person, serviceId: string): Promise<boolean> =>
      db.transaction().execute(async (trx) => {
        const { teamId, userId } = person;
        const id = ownKeyOf(serviceId, person);
        if (!(await forget(trx, teamId, sql<SqlBool>`id = ${id}`))) return false;
        await pollNow(trx, 'connection_id', id);
        await note(trx, { teamId, userId, action: 'key_disconnected', id: serviceId });
        return true;
      }),
  };
}

/** Returns true if the connection exists. Locks it so that no one removes it until the transaction ends. */
async function isKept(trx: Db, teamId: string, id: string): Promise<boolean> {
  const touched = await trx
    .updateTable('connections')
    .set({ due_at: nowMs(trx) })
    .where('id', '=', id)
    .where('team_id', '=', teamId)
    .where('user_id', 'is', null)
    .where('api_key', 'is not', null)
    .executeTakeFirst();
  return touched.numUpdatedRows > 0n;
}

type NewRow = {
  id: string;
  team_id: string;
  user_id?: string;
  name?: string;
  base_url: string;
  added_at: number;
  api_key: Secret<'api_key'>;
};

/** Inserts a connection and makes it due at once, because some of its runs may be followed. */
async function insert(db: Db, { id, ...row }: NewRow): Promise<void> {
  const values = { ...row, due_at: nowMs(db) };
  await db
    .insertInto('connections')
    .values({ id, mode: 'changes', ...values })
    .onConflict((conflict) => conflict.column('id').doUpdateSet(values))
    .execute();
}

async function forget(db: Db, teamId: string, which: ReturnType<typeof sql<SqlBool>>) {
  const { numUpdatedRows } = await db
    .updateTable('connections')
    .set({ api_key: null, problem_json: null, failures: 0, due_at: nowMs(db) })
    .where('team_id', '=', teamId)
    .where('api_key', 'is not', null)
    .where(which)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

type Noted = Person & {
  action: string;
  id: string;
  details?: Record<string, string>;
};

const note = (db: Db, { teamId, userId: actorId, action, id, details }: Noted) =>
  insertEntry(db, {
    teamId,
    actorId,
    action,
    entity: { type: 'connection', id },
    ...(details && { details }),
  });

/** Makes the active requests of a removed connection due, so that they end. */
const pollNow = (trx: Db, column: 'service_id' | 'connection_id', id: string) =>
  updateMany(trx, (requests) => requests.where(column, '=', id).where('step', 'in', liveSteps))
    .set({ due_at: nowMs(trx), next_poll_at: nowMs(trx) })
    .execute();
