import type { Db } from '../schema.ts';
import { isPastAcceptance, type RunRequest, readRow } from './request-row.ts';
import { liveSteps } from './request-steps.ts';

export type ChannelRequests = ReturnType<typeof createChannelRequests>;

export function createChannelRequests(db: Db) {
  return {
    /** Requests of a channel, newest first: those that ended or weren't started between `from` and `until`, and live ones. */
    async inPeriod(
      { teamId, channelId }: { teamId: string; channelId: string },
      { from, until, limit }: { from: number; until: number; limit: number },
    ): Promise<RunRequest[]> {
      const rows = await db
        .selectFrom('requests')
        .selectAll()
        .where('team_id', '=', teamId)
        .where('channel_id', '=', channelId)
        .where(isPastAcceptance)
        .where('accepted_at', '<', until)
        .where((where) =>
          where.or([
            where('step', 'in', liveSteps),
            where.and([where('ended_at', '>=', from), where('ended_at', '<', until)]),
            where.and([where('step', '=', 'not_started'), where('accepted_at', '>=', from)]),
          ]),
        )
        .orderBy('accepted_at', 'desc')
        .limit(limit)
        .execute();
      return rows.map(readRow);
    },
  };
}
