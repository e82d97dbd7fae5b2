import { type Selectable, sql } from 'kysely';
import type { AgentConfig } from 'runs-client/contract';
import { agentConfigSchema } from 'runs-client/contract';
import { isPostgres } from './clock.ts';
import { isPastAcceptance, type RunRequest, readRow } from './request-row.ts';
import type { Db, RequestsTable } from './schema.ts';

export type RequestLookup = ReturnType<typeof createRequestLookup>;

/** Questions about requests that people's commands and forms ask; nothing here changes one. */
export function createRequestLookup(db: Db) {
  const inTeam = (teamId: string) => db.selectFrom('requests').where('team_id', '=', teamId);

  return {
    /** The request whose run message stands there. */
    async findByMessage(
      teamId: string,
      place: { channelId: string; ts: string },
    ): Promise<RunRequest | undefined> {
      const row = await inTeam(teamId)
        .selectAll()
        .where('message_channel_id', '=', place.channelId)
        .where('message_ts', '=', place.ts)
        .executeTakeFirst();
      return row && readRow(row);
    },

    /** The request whose run's session has one of these addresses. */
    async findBySession(teamId: string, links: readonly string[]): Promise<RunRequest | undefined> {
      if (links.length === 0) return undefined;
      // SQLite would rather read the whole team in this order than the few of these links.
      const rows = await db
        .selectFrom('requests')
        .selectAll()
        .where('session_link', 'in', links)
        .execute();
      return newestFirst(rows, teamId)[0];
    },

    /** The newest request of a thread whose run has not ended: its message is the thread's first, or stands in it. */
    async findLiveInThread(
      teamId: string,
      thread: { channelId: string; threadTs: string },
    ): Promise<RunRequest | undefined> {
      // As in the condition of its index, without parameters.
      const isLive = sql<boolean>`step in ('posted', 'following')`;
      const rows = await db
        .selectFrom('requests')
        .selectAll()
        .where('message_channel_id', '=', thread.channelId)
        .where(isLive)
        .execute();
      return newestFirst(rows, teamId).find(
        ({ messageTs, origin, channelId }) =>
          messageTs === thread.threadTs ||
          (origin?.threadTs === thread.threadTs && channelId === thread.channelId),
      );
    },

    /** Those whose run id begins so, newest first; two are enough to see that a prefix is not unique. */
    async findByRunPrefix(teamId: string, prefix: string, limit = 2): Promise<RunRequest[]> {
      const rows = isPostgres(db)
        ? await inTeam(teamId)
            .selectAll()
            .where('run_id', 'like', `${prefix.replace(/[%_\\]/g, '_')}%`)
            .orderBy('accepted_at', 'desc')
            .limit(50)
            .execute()
        : // A file has no other process to read it meanwhile: by its index, whose order is that of the characters.
          await db
            .selectFrom('requests')
            .selectAll()
            .where('run_id', '>=', prefix)
            .where('run_id', '<', `${prefix}\u{10ffff}`)
            .limit(50)
            .execute();
      // The pattern reads some characters as wildcards.
      return newestFirst(rows, teamId)
        .filter(({ runId }) => runId?.startsWith(prefix))
        .slice(0, limit);
    },

    /** Configurations that were used last, newest first: in a channel, by a person, or in the workspace. */
    async recentConfigs(
      teamId: string,
      { channelId, creatorId }: { channelId?: string; creatorId?: string },
      limit = 100,
    ): Promise<AgentConfig[]> {
      let query = inTeam(teamId).select('config_json').where(isPastAcceptance);
      if (channelId !== undefined) query = query.where('channel_id', '=', channelId);
      if (creatorId !== undefined) query = query.where('creator_id', '=', creatorId);
      const rows = await query.orderBy('accepted_at', 'desc').limit(limit).execute();
      return rows.map((row) => agentConfigSchema.parse(JSON.parse(row.config_json)));
    },
  };
}

const newestFirst = (rows: readonly Selectable<RequestsTable>[], teamId: string): RunRequest[] =>
  rows
    .filter((row) => row.team_id === teamId)
    .map(readRow)
    .sort((one, other) => other.acceptedAt - one.acceptedAt);
