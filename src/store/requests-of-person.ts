import { type SelectQueryBuilder, sql } from 'kysely';
import { isPastAcceptance } from './request-row.ts';
import type { DatabaseSchema } from './schema.ts';

/**
 * The requests of one person. Just accepted ones are in no index by person and are found by their step; see
 * docs/decisions/010-sqlite-writes-are-few-and-share-a-flush.md. In one statement, so that a request that moves on
 * meanwhile is in the result exactly once.
 * @param requests with all other conditions, not in an order yet
 */
export function ofPerson<Row>(
  requests: SelectQueryBuilder<DatabaseSchema, 'requests', Row>,
  { teamId, creatorId }: { teamId: string; creatorId: string },
): SelectQueryBuilder<DatabaseSchema, 'requests', Row> {
  const theirs = requests.where('creator_id', '=', creatorId);
  // So written it is no reason for SQLite to read the whole team by an index that begins with it.
  const isOfTeam = sql<boolean>`team_id || '' = ${teamId}`;
  return theirs
    .where('team_id', '=', teamId)
    .where(isPastAcceptance)
    .unionAll(theirs.where(isOfTeam).where('step', '=', 'accepted'));
}
