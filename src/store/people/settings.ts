import { lockUntilCommit } from 'base/database/lock-until-commit';
import { Secret } from 'base/encryption/secret';
import { z } from 'zod';
import { insertEntry } from '../audit/audit.ts';
import type { NewAuditEntry } from '../audit/audit-entry.ts';
import type { Db } from '../schema.ts';

/** Scope of a setting: a person, a channel or the whole workspace. */
export const scopeSchema = z.enum(['person', 'channel', 'workspace']);
export type Scope = z.infer<typeof scopeSchema>;
export type SettingOwner = { teamId: string; scope: Scope; scopeId: string };

/** Scopes whose values apply to one person in one channel. */
export type SettingLayers = { teamId: string; channelId: string; userId: string };

/** New value of a setting. `entries` has details for the audit log, if they are more than the setting's name. */
export type NextSetting = {
  value: unknown;
  entries?: readonly Partial<Pick<NewAuditEntry, 'action' | 'entity' | 'details'>>[];
};

export type Settings = ReturnType<typeof createSettings>;

/** Stores small JSON values by owner and key. Readers validate them, because another version may have written them. */
export function createSettings(db: Db) {
  /** Changes a value in a transaction, so that no one else changes it between reading and writing. */
  const change = (
    owner: SettingOwner,
    key: string,
    by: string,
    next: (value: unknown) => NextSetting | undefined,
  ): Promise<void> =>
    db.transaction().execute(async (trx) => {
      await lockUntilCommit(trx, `settings of ${owner.teamId}`);
      const row = await selectSetting(trx, { ...owner, key })
        .select(['scope_id', 'value_json'])
        .executeTakeFirst();
      const before = row?.value_json;
      const wanted = next(before === undefined ? undefined : JSON.parse(before));
      if (!wanted || JSON.stringify(wanted.value) === before) return;
      await writeSetting(trx, owner, key, wanted.value);
      const { entries = [{}] } = wanted;
      const entry = entryOf('setting_changed', owner, key, by);
      for (const more of entries) await insertEntry(trx, { ...entry, ...more });
    });

  return {
    async read(owner: SettingOwner, key: string): Promise<unknown> {
      const row = await selectSetting(db, { ...owner, key })
        .select(['scope_id', 'value_json'])
        .executeTakeFirst();
      return row && JSON.parse(row.value_json);
    },

    /** Returns the value of each scope that applies to a person in a channel, if there is one. */
    async readLayers(
      { teamId, channelId, userId }: SettingLayers,
      key: string,
    ): Promise<ReadonlyMap<string, unknown>> {
      const [first, ...others] = selectLayers(db, { teamId, channelId, userId, key });
      const rows = await others.reduce((all, one) => all.unionAll(one), first).execute();
      return new Map(rows.map(({ scope, value_json }) => [scope, JSON.parse(value_json)]));
    },

    /** Returns every value of an owner whose key starts with `prefix`, sorted by key. */
    async list(owner: SettingOwner, prefix: string): Promise<{ key: string; value: unknown }[]> {
      const rows = await db
        .selectFrom('settings')
        .select(['key', 'scope_id', 'value_json'])
        .where('team_id', '=', owner.teamId)
        .where('scope', '=', owner.scope)
        .where('scope_id', '=', owner.scopeId)
        .orderBy('key')
        .execute();
      return rows
        .filter(({ key }) => key.startsWith(prefix))
        .map((row) => ({ key: row.key, value: JSON.parse(row.value_json) }));
    },

    /** Removes a value. Returns true if it existed. `by` is the same as in `write`. */
    async remove(owner: SettingOwner, key: string, by?: string): Promise<boolean> {
      if (by === undefined) return removeSetting(db, owner, key);
      return db.transaction().execute(async (trx) => {
        const isRemoved = await removeSetting(trx, owner, key);
        if (isRemoved) await insertEntry(trx, entryOf('setting_removed', owner, key, by));
        return isRemoved;
      });
    },

    /** Writes a value. `by` is the person who changes it, for the audit log. Without a person, the app changes it. */
    async write(owner: SettingOwner, key: string, value: unknown, by?: string): Promise<void> {
      await (by === undefined
        ? writeSetting(db, owner, key, value)
        : change(owner, key, by, () => ({ value })));
    },

    /** Writes the result of `next`, or keeps the value if the result is undefined. `by` is the same as in `write`. */
    change,

    /** Returns all owners with a value for this key. */
    async owners(key: string): Promise<SettingOwner[]> {
      const rows = await db
        .selectFrom('settings')
        .select(['team_id', 'scope', 'scope_id'])
        .where('key', '=', key)
        .execute();
      return rows.map((row) => ({
        teamId: row.team_id,
        scope: scopeSchema.parse(row.scope),
        scopeId: row.scope_id,
      }));
    },
  };
}

const entryOf = (
  action: string,
  { teamId, scope, scopeId }: SettingOwner,
  key: string,
  by: string,
) => ({
  teamId,
  actorId: by,
  action,
  entity: { type: 'setting', id: `${scope}/${scopeId}/${key}` },
});

async function removeSetting(db: Db, owner: SettingOwner, key: string): Promise<boolean> {
  const removed = await db
    .deleteFrom('settings')
    .where('team_id', '=', owner.teamId)
    .where('scope', '=', owner.scope)
    .where('scope_id', '=', owner.scopeId)
    .where('key', '=', key)
    .executeTakeFirst();
  return removed.numDeletedRows > 0n;
}

async function writeSetting(
  db: Db,
  owner: SettingOwner,
  key: string,
  value: unknown,
): Promise<void> {
  const changed = {
    value_json: new Secret('value_json', owner.scopeId, JSON.stringify(value)),
    updated_at: Date.now(),
  };
  await db
    .insertInto('settings')
    .values({
      team_id: owner.teamId,
      scope: owner.scope,
      scope_id: owner.scopeId,
      key,
      ...changed,
    })
    .onConflict((conflict) =>
      conflict.columns(['team_id', 'scope', 'scope_id', 'key']).doUpdateSet(changed),
    )
    .execute();
}

type SettingKey = SettingOwner & { key: string };

/** Runs one query per owner. With `or`, SQLite would read all settings of the workspace. */
export function selectLayers(db: Db, values: SettingLayers & { key: string }) {
  const { teamId, channelId, userId, key } = values;
  const of = (scope: Scope, scopeId: string) =>
    selectSetting(db, { teamId, scope, scopeId, key }).select(['scope', 'scope_id', 'value_json']);
  return [of('workspace', teamId), of('channel', channelId), of('person', userId)] as const;
}

const selectSetting = (db: Db, { teamId, scope, scopeId, key }: SettingKey) =>
  db
    .selectFrom('settings')
    .where('team_id', '=', teamId)
    .where('scope', '=', scope)
    .where('scope_id', '=', scopeId)
    .where('key', '=', key);
