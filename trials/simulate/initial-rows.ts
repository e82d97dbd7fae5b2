import type { SyncDatabase } from 'base/database/sqlite/flushed-sqlite';
import { plainRepliesSetting } from '../../src/slack/configuration/preferences.ts';
import { createInstallationStore } from '../../src/store/installations.ts';
import { createSettings } from '../../src/store/people/settings.ts';
import type { Db } from '../../src/store/schema.ts';
import { workspaces } from './slack-world.ts';

export const encryptionKey = Buffer.alloc(32, 'simulated key');

type Row = Record<string, unknown>;

const tables = ['installations', 'workspaces', 'settings'];

/**
 * Returns the rows in the database before the first bot starts: OAuth installations, and channels where plain replies
 * go to the run. The real store writes them once, and each seed gets a copy.
 */
export async function readInitialRows(
  db: Db,
  raw: SyncDatabase,
): Promise<{ insert(workspaceCount: number): void }> {
  const settings = createSettings(db);
  for (const { team, bot, people, channels } of workspaces) {
    await createInstallationStore(db).save({
      id: team,
      teamId: team,
      name: team,
      botId: bot.botId,
      botUserId: bot.userId,
      token: bot.token,
      refreshToken: null,
      expiresAt: null,
      scopes: [],
      installedBy: people[0],
    });
    for (const [index, scopeId] of channels.entries())
      await plainRepliesSetting.write(
        settings,
        { teamId: team, scope: 'channel', scopeId },
        index === 1,
      );
  }
  const rows = tables.flatMap((table) =>
    (raw.prepare(`select * from ${table}`).all([]) as Row[]).map((row) => ({ table, row })),
  );
  return {
    /** Inserts the rows. With a bot token, a database has no installations. */
    insert(workspaceCount): void {
      for (const { table, row } of rows) {
        if (workspaceCount === 1 && table !== 'settings') continue;
        const names = Object.keys(row);
        const places = names.map(() => '?');
        raw.prepare(`insert into ${table} (${names}) values (${places})`).run(Object.values(row));
      }
    },
  };
}
