import { type Selectable, sql } from 'kysely';
import { insertEntry } from './audit/audit.ts';
import { nowMs } from './database/clock.ts';
import { Secret } from './encryption/secret.ts';
import type { Db, InstallationsTable } from './schema.ts';

/** A bot token. `expiresAt` is epoch milliseconds. */
export type BotToken = {
  token: string;
  refreshToken: string | null;
  expiresAt: number | null;
};

/** The app in a workspace, or in a whole organization: `id` is the one or the other. */
export type Installation = BotToken & {
  id: string;
  name: string;
  botId: string;
  botUserId: string;
  scopes: readonly string[];
  installedBy: string;
  version: number;
};

export type NewInstallation = Omit<Installation, 'version'> & {
  /** Undefined for a whole organization. */
  teamId: string | undefined;
};

export type InstallationStore = ReturnType<typeof createInstallationStore>;

/** Where the app is installed by OAuth. A token that was replaced or revoked isn't kept. */
export function createInstallationStore(db: Db) {
  const active = () => db.selectFrom('installations').selectAll().where('is_active', '=', 1);

  return {
    /** Again in the same place, it replaces the earlier one. */
    async save(installation: NewInstallation): Promise<void> {
      const { id, teamId, name, botId, botUserId, scopes, installedBy } = installation;
      const columns = {
        name,
        bot_id: botId,
        bot_user_id: botUserId,
        is_active: 1,
        refresh_until: 0,
        scopes: scopes.join(','),
        installed_by: installedBy,
        ...tokenColumns(id, installation),
      };
      await db.transaction().execute(async (transaction) => {
        await transaction
          .insertInto('installations')
          .values({ id, ...columns })
          .onConflict((conflict) =>
            conflict
              .column('id')
              .doUpdateSet({ ...columns, version: sql`installations.version + 1` }),
          )
          .execute();
        await transaction
          .updateTable('workspaces')
          .set({ is_active: 1, removed_at: null })
          .where('installation_id', '=', id)
          .execute();
        if (teamId !== undefined) await addWorkspace(transaction, teamId, id, 'always');
        await insertEntry(transaction, {
          teamId: teamId ?? id,
          actorId: installedBy,
          action: 'app_installed',
          entity: { type: 'workspace', id: teamId ?? id },
        });
      });
    },

    async find(id: string): Promise<Installation | undefined> {
      const row = await active().where('id', '=', id).executeTakeFirst();
      return row && readInstallation(row);
    },

    /** Undefined if the app isn't installed there. */
    async findOfTeam(teamId: string): Promise<Installation | undefined> {
      const row = await active()
        .where('id', 'in', (select) =>
          select
            .selectFrom('workspaces')
            .select(sql<string>`installation_id`.as('id'))
            .where('team_id', '=', teamId)
            .where('is_active', '=', 1),
        )
        .executeTakeFirst();
      return row && readInstallation(row);
    },

    /** The app was removed, or its token was revoked. Only if the token is still that one. */
    async remove({ id, version }: Pick<Installation, 'id' | 'version'>): Promise<void> {
      await db.transaction().execute(async (transaction) => {
        const removed = await transaction
          .updateTable('installations')
          .set({
            is_active: 0,
            version: sql`version + 1`,
            bot_token: new Secret('bot_token', id, ''),
            refresh_token: null,
          })
          .where('id', '=', id)
          .where('version', '=', version)
          .executeTakeFirst();
        if (removed.numUpdatedRows === 0n) return;
        await transaction
          .updateTable('workspaces')
          .set({ is_active: 0, removed_at: nowMs(db) })
          .where('installation_id', '=', id)
          .execute();
      });
    },

    /** Workspaces without an installation have no token any more. @returns how many workspaces there are */
    async begin(): Promise<number> {
      await db
        .updateTable('workspaces')
        .set({ is_active: 0 })
        .where('installation_id', 'is', null)
        .execute();
      const { count } = await db
        .selectFrom('workspaces')
        .select(db.fn.countAll<number | string>().as('count'))
        .where('is_active', '=', 1)
        .executeTakeFirstOrThrow();
      return Number(count);
    },

    ...createTokenRefresh(db),
    ...createTeams(db),
  };
}

function createTeams(db: Db) {
  return {
    /**
     * A workspace of an organization that the app is installed in. One with an installation of its own keeps that. One that
     * the organization took from the app stays so: the delivery is late.
     */
    addTeam: (teamId: string, id: string): Promise<void> => addWorkspace(db, teamId, id, 'if new'),

    /** The organization gives the app these workspaces. */
    async giveTeams(teamIds: readonly string[], id: string): Promise<void> {
      for (const teamId of teamIds) await addWorkspace(db, teamId, id, 'if without');
    },

    /** The organization takes these workspaces from the app. @returns those that it had */
    async takeTeams(teamIds: readonly string[], id: string): Promise<string[]> {
      if (teamIds.length === 0) return [];
      const taken = await db
        .updateTable('workspaces')
        .set({ is_active: 0, installation_id: null, removed_at: nowMs(db) })
        .where('installation_id', '=', id)
        .where('team_id', 'in', teamIds)
        .returning('team_id')
        .execute();
      return taken.map((each) => each.team_id);
    },

    /** A workspace of an organization, for what concerns all of them. */
    async oneOf(id: string): Promise<string | undefined> {
      const row = await db
        .selectFrom('workspaces')
        .select('team_id')
        .where('installation_id', '=', id)
        .where('is_active', '=', 1)
        .orderBy('team_id')
        .executeTakeFirst();
      return row?.team_id;
    },
  };
}

function createTokenRefresh(db: Db) {
  return {
    /** One replica refreshes a token. @returns whether it's this one */
    async beginRefresh({ id, version }: Installation, leaseMs: number): Promise<boolean> {
      const { numUpdatedRows } = await db
        .updateTable('installations')
        .set({ refresh_until: sql<number>`${nowMs(db)} + ${sql.lit(leaseMs)}` })
        .where('id', '=', id)
        .where('version', '=', version)
        .where('refresh_until', '<=', nowMs(db))
        .executeTakeFirst();
      return numUpdatedRows === 1n;
    },

    /** @returns false if the token was replaced meanwhile */
    async replaceToken({ id, version }: Installation, token: BotToken): Promise<boolean> {
      const { numUpdatedRows } = await db
        .updateTable('installations')
        .set({ ...tokenColumns(id, token), version: sql`version + 1`, refresh_until: 0 })
        .where('id', '=', id)
        .where('version', '=', version)
        .executeTakeFirst();
      return numUpdatedRows === 1n;
    },
  };
}

async function addWorkspace(
  db: Db,
  teamId: string,
  installationId: string,
  when: 'if new' | 'if without' | 'always',
): Promise<void> {
  const columns = { installation_id: installationId, is_active: 1, removed_at: null };
  await db
    .insertInto('workspaces')
    .values({ team_id: teamId, ...columns })
    .onConflict((conflict) => {
      const again = conflict.column('team_id');
      const update = again.doUpdateSet(columns);
      if (when === 'always') return update;
      const without = update.where('workspaces.is_active', '=', 0);
      if (when === 'if without') return without;
      return without.where((row) =>
        row.or([
          row('workspaces.installation_id', 'is not', null),
          row('workspaces.removed_at', 'is', null),
        ]),
      );
    })
    .execute();
}

const tokenColumns = (id: string, { token, refreshToken, expiresAt }: BotToken) => ({
  bot_token: new Secret('bot_token', id, token),
  refresh_token: refreshToken === null ? null : new Secret('refresh_token', id, refreshToken),
  expires_at: expiresAt,
});

const readInstallation = (row: Selectable<InstallationsTable>): Installation => ({
  id: row.id,
  name: row.name,
  botId: row.bot_id,
  botUserId: row.bot_user_id,
  scopes: row.scopes.split(',').filter(Boolean),
  installedBy: row.installed_by,
  version: row.version,
  token: row.bot_token,
  refreshToken: row.refresh_token,
  expiresAt: row.expires_at,
});
