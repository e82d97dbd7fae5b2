import { type SelectQueryBuilder, sql } from 'kysely';
import type { DatabaseSchema } from '../schema.ts';
import { isPastAcceptance } from './request-row.ts';

/** Condition for the workspace that uses no index: SQLite would read the whole team by one that starts with it. */
export const inTeam = (teamId: string) => sql<boolean>`team_id || '' = ${teamId}`;

/**
 * The requests of one person. Accepted ones are in no index by person and are found by their step; see
 * docs/decisions/007-sqlite-writes-are-few-and-share-a-flush.md. One statement, so that a request whose step changes
 * meanwhile is in the result exactly once.
 * @param requests with all other conditions, not sorted yet
 */
export function ofPerson<Row>(
  requests: SelectQueryBuilder<DatabaseSchema, 'requests', Row>,
  { teamId, creatorId }: { teamId: string; creatorId: string },
): SelectQueryBuilder<DatabaseSchema, 'requests', Row> {
  const theirs = requests.where('creator_id', '=', creatorId);
  return theirs
    .where('team_id', '=', teamId)
    .where(isPastAcceptance)
    .unionAll(theirs.where(inTeam(teamId)).where('step', '=', 'accepted'));
}
