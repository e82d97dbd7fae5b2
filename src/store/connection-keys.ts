import { serviceOf } from '../requests/connection.ts';
import type { RequestProblem } from '../requests/run-progress.ts';
import type { Db } from './schema.ts';

/** A connection that workspace admins added. */
type NamedConnection = {
  id: string;
  name: string;
  baseUrl: string;
  /** Problem that the last sweep found. */
  problem: RequestProblem | null;
};

/** A person's own key for a connection. */
type OwnKey = { id: string; serviceId: string; problem: RequestProblem | null };

export type ConnectionKey = { baseUrl: string; apiKey: string };
type Person = { teamId: string; userId: string };

export type ConnectionKeys = ReturnType<typeof createConnectionKeys>;

/**
 * Reads the runs services that workspaces use, with their keys. See
 * docs/decisions/016-runs-stay-on-their-connection.md.
 */
export function createConnectionKeys(db: Db) {
  const of = (teamId: string) => db.selectFrom('connections').where('team_id', '=', teamId);

  return {
    /**
     * Returns the service's address and key of a connection. Undefined for a removed one, and for the operator's, which
     * isn't stored.
     */
    async read(id: string): Promise<ConnectionKey | undefined> {
      const row = await db
        .selectFrom('connections')
        .select(['id', 'base_url', 'api_key'])
        .where('id', '=', id)
        .executeTakeFirst();
      if (!row?.base_url || !row.api_key) return undefined;
      return { baseUrl: row.base_url, apiKey: row.api_key };
    },

    /** Returns the connections of a workspace, ordered by name. */
    async list(teamId: string): Promise<NamedConnection[]> {
      const rows = await of(teamId)
        .select(['id', 'name', 'base_url', 'problem_json'])
        .where('name', 'is not', null)
        .where('api_key', 'is not', null)
        .orderBy('name')
        .execute();
      return rows.map((row) => ({
        id: row.id,
        name: row.name ?? '',
        baseUrl: row.base_url ?? '',
        problem: readProblem(row.problem_json),
      }));
    },

    async ownKeys({ teamId, userId }: Person): Promise<OwnKey[]> {
      const rows = await of(teamId)
        .select(['id', 'problem_json'])
        .where('user_id', '=', userId)
        .where('api_key', 'is not', null)
        .execute();
      return rows.map(({ id, problem_json: json }) => ({
        id,
        serviceId: serviceOf(id),
        problem: readProblem(json),
      }));
    },
  };
}

const readProblem = (json: string | null): RequestProblem | null =>
  json === null ? null : JSON.parse(json);
