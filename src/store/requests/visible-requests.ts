import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../schema.ts';

/**
 * Returns a condition for the workspace that avoids its index. SQLite would read all rows of the workspace with that
 * index.
 */
export const inTeam = (teamId: string) => sql<boolean>`team_id || '' = ${teamId}`;

/** A person who views runs. */
export type RunViewer = {
  teamId: string;
  userId: string;
  /** Conversation in which they view runs. Slack let them in, so they can see its runs. */
  conversationId?: string | undefined;
};

/**
 * Condition for requests that a person can see: their own, those from public channels, and those from their
 * conversations. Unknown conversations are private. The subquery doesn't depend on the request, so databases run it
 * once per statement. See docs/decisions/014-seeing-follows-the-conversation.md.
 * @param owner column with the person who always sees the row
 */
export function visibleTo(
  { teamId, userId, conversationId }: RunViewer,
  owner: 'creator_id' | 'owner_id' = 'creator_id',
): RawBuilder<boolean> {
  const here = conversationId ? sql`or channel_id = ${conversationId}` : sql``;
  return sql<boolean>`(${sql.ref(owner)} = ${userId} ${here} or channel_id in (
    select id from conversations where team_id = ${teamId} and is_public = 1
    union all
    select conversation_id from conversation_members where team_id = ${teamId} and user_id = ${userId}))`;
}

/** Returns the requests that the viewer can see, keyed by ID. */
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
