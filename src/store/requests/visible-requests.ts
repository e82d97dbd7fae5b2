import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../schema.ts';

/** Condition for the workspace that uses no index: SQLite would read the whole team by one that starts with it. */
export const inTeam = (teamId: string) => sql<boolean>`team_id || '' = ${teamId}`;

/** Someone who looks at runs. */
export type RunViewer = {
  teamId: string;
  userId: string;
  /** Where they are looking: Slack let them in. */
  conversationId?: string | undefined;
};

/**
 * Condition for requests that someone sees: their own, those from public channels, and those from conversations that
 * they're in. Unknown conversations are private. The subquery doesn't depend on the request, so databases run it once per statement. See
 * docs/decisions/014-seeing-follows-the-conversation.md.
 */
export function visibleTo({ teamId, userId, conversationId }: RunViewer): RawBuilder<boolean> {
  const here = conversationId ? sql`or channel_id = ${conversationId}` : sql``;
  return sql<boolean>`(creator_id = ${userId} ${here} or channel_id in (
    select id from conversations where team_id = ${teamId} and is_public = 1
    union all
    select conversation_id from conversation_members where team_id = ${teamId} and user_id = ${userId}))`;
}

/** Those of these requests that the viewer may see, by their ids. */
export async function findVisible(
  db: Db,
  viewer: RunViewer,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set();
  const rows = await db
    .selectFrom('requests')
    .select('id')
    .where('id', 'in', ids)
    .where('team_id', '=', viewer.teamId)
    .where(visibleTo(viewer))
    .execute();
  return new Set(rows.map(({ id }) => id));
}
