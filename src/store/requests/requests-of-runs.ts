import { isPostgres } from 'base/database/clock';
import type { Selectable } from 'kysely';
import type { Run } from 'runs-client/contract';
import { requestIdKey } from 'runs-client/create-attempt';
import { isOwned } from '../database-owner.ts';
import type { Db, RequestsTable } from '../schema.ts';
import { type RunRequest, readRow } from './request-row.ts';
import { findVisible, inTeam, type RunViewer, visibleTo } from './visible-requests.ts';

/** Finds requests by their runs, and those that a viewer can see. */
export function createRunLookup(db: Db) {
  return {
    /** Returns the requests that the viewer can see, keyed by ID. */
    findVisible: (viewer: RunViewer, ids: readonly string[]) => findVisible(db, viewer, ids),

    /** Returns requests by run ID. Run IDs are only unique on their service. */
    async findByRunIds(serviceId: string, runIds: readonly string[]): Promise<RunRequest[]> {
      if (runIds.length === 0) return [];
      const rows = await db
        .selectFrom('requests')
        .selectAll()
        .where('run_id', 'in', runIds)
        .where('service_id', '=', serviceId)
        .where(isOwned('requests'))
        .execute();
      return rows.map(readRow);
    },

    /**
     * Returns the requests of a service's runs, keyed by run ID. Includes a run that the service lists before its ID is
     * stored here.
     */
    async findOfRuns(
      serviceId: string,
      runs: readonly Pick<Run, 'run_id' | 'metadata'>[],
    ): Promise<ReadonlyMap<string, RunRequest>> {
      if (runs.length === 0) return new Map();
      const runIds = runs.map((run) => run.run_id);
      const runIdsByRequest = new Map(
        runs.flatMap((run) => {
          const id = run.metadata?.[requestIdKey];
          return id ? [[id, run.run_id] as const] : [];
        }),
      );
      const rows = await db
        .selectFrom('requests')
        .selectAll()
        .where((where) =>
          runIdsByRequest.size > 0
            ? where.or([
                where('run_id', 'in', runIds),
                where('id', 'in', [...runIdsByRequest.keys()]),
              ])
            : where('run_id', 'in', runIds),
        )
        .where('service_id', '=', serviceId)
        .where(isOwned('requests'))
        .execute();
      return new Map(
        rows.map(readRow).flatMap((request) => {
          const runId = request.runId ?? runIdsByRequest.get(request.id);
          return runId ? [[runId, { ...request, runId }]] : [];
        }),
      );
    },

    /**
     * Returns visible requests whose run ID starts with a prefix, newest first. Two results show that the prefix isn't
     * unique.
     */
    async findByRunPrefix(viewer: RunViewer, prefix: string, limit = 2): Promise<RunRequest[]> {
      const rows = isPostgres(db)
        ? await db
            .selectFrom('requests')
            .selectAll()
            .where('team_id', '=', viewer.teamId)
            .where(visibleTo(viewer))
            .where('run_id', 'like', `${prefix.replace(/[%_\\]/g, '_')}%`)
            .orderBy('accepted_at', 'desc')
            .limit(50)
            .execute()
        : // Use a range to find the prefix, because SQLite's index sorts by characters.
          await db
            .selectFrom('requests')
            .selectAll()
            .where('run_id', '>=', prefix)
            .where('run_id', '<', `${prefix}\u{10ffff}`)
            .where(inTeam(viewer.teamId))
            .where(visibleTo(viewer))
            .limit(50)
            .execute();
      // Filter again, because wildcards in the prefix may have matched other runs.
      return newestFirst(rows)
        .filter(({ runId }) => runId?.startsWith(prefix))
        .slice(0, limit);
    },
  };
}

export const newestFirst = (rows: readonly Selectable<RequestsTable>[]): RunRequest[] =>
  rows.map(readRow).sort((one, other) => other.acceptedAt - one.acceptedAt);
