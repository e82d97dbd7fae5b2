import type { AgentConfig } from '../runs-api/contract.ts';
import { agentConfigSchema } from '../runs-api/contract.ts';
import type { Db } from './database.ts';
import { type RunRequest, readRow } from './request-row.ts';

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
      const row = await inTeam(teamId)
        .selectAll()
        .where('session_link', 'in', links)
        .orderBy('accepted_at', 'desc')
        .executeTakeFirst();
      return row && readRow(row);
    },

    /** The newest request of a thread whose run has not ended: its message is the thread's first, or stands in it. */
    async findLiveInThread(
      teamId: string,
      thread: { channelId: string; threadTs: string },
    ): Promise<RunRequest | undefined> {
      const rows = await inTeam(teamId)
        .selectAll()
        .where('message_channel_id', '=', thread.channelId)
        .where('step', 'in', ['posted', 'following'])
        .orderBy('accepted_at', 'desc')
        .execute();
      return rows
        .map(readRow)
        .find(
          ({ messageTs, origin, channelId }) =>
            messageTs === thread.threadTs ||
            (origin?.threadTs === thread.threadTs && channelId === thread.channelId),
        );
    },

    /** Those whose run id begins so, newest first; two are enough to see that a prefix is not unique. */
    async findByRunPrefix(teamId: string, prefix: string, limit = 2): Promise<RunRequest[]> {
      const rows = await inTeam(teamId)
        .selectAll()
        .where('run_id', 'like', `${prefix.replace(/[%_\\]/g, '_')}%`)
        .orderBy('accepted_at', 'desc')
        .limit(50)
        .execute();
      // The pattern reads some characters as wildcards, and SQLite ignores case.
      return rows
        .filter((row) => row.run_id?.startsWith(prefix))
        .slice(0, limit)
        .map(readRow);
    },

    /** Configurations that were used last: in a channel, by a person, or in the workspace; newest first. */
    async recentConfigs(
      teamId: string,
      { channelId, creatorId }: { channelId?: string; creatorId?: string },
      limit = 100,
    ): Promise<AgentConfig[]> {
      let query = inTeam(teamId).select('config_json');
      if (channelId !== undefined) query = query.where('channel_id', '=', channelId);
      if (creatorId !== undefined) query = query.where('creator_id', '=', creatorId);
      const rows = await query.orderBy('accepted_at', 'desc').limit(limit).execute();
      return rows.map((row) => agentConfigSchema.parse(JSON.parse(row.config_json)));
    },
  };
}
