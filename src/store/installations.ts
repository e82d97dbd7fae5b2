import { nowMs } from 'base/database/clock';
import { Secret } from 'base/encryption/secret';
import { type Selectable, sql } from 'kysely';
import { insertEntry } from './audit/audit.ts';
import { addWorkspace, createTeams } from './installed-teams.ts';
import type { Db, InstallationsTable } from './schema.ts';

/** A bot token. `expiresAt` is in epoch ms. */
export type BotToken = {
  token: string;
  refreshToken: string | null;
  expiresAt: number | null;
};

/** Installation of the app in a workspace or in a whole organization. `id` is the ID of either. */
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
  /** ID of the workspace. Undefined for a whole organization. */
  teamId: string | undefined;
};

export type InstallationStore = ReturnType<typeof createInstallationStore>;

/** Stores where the app is installed by OAuth. Replaced and revoked tokens aren't kept. */
export function createInstallationStore(db: Db) {
  const active = () => db.selectFrom('installations').selectAll().where('is_active', '=', 1);

  return {
    /** Saves an installation. Replaces an earlier one in the same workspace or organization. */
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

    /** Returns the installation that a workspace uses, or undefined if it doesn't have the app. */
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

    /**
     * Removes an installation after the app was removed or its token revoked, unless the token was replaced meanwhile.
     */
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

    ...createTokenRefresh(db),
    ...createTeams(db),
  };
}

function createTokenRefresh(db: Db) {
  return {
    /**
     * Starts to refresh a token.
     * @returns true for one replica only
     */
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

    /**
     * Replaces a token.
     * @returns false if it was already replaced
     */
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
