import type { Logger } from 'base/logger';
import { Loop } from 'base/time/loop';
import type { Audit } from '../store/audit/audit.ts';
import type { FiringRemoval } from '../store/automations/firing-removal.ts';
import type { WorkspaceRemoval } from '../store/people/workspace-data.ts';
import type { RequestRemoval } from '../store/requests/request-removal.ts';

const dayMs = 24 * 60 * 60_000;
const checkMs = 6 * 60 * 60_000;
/** Max rows that one transaction deletes, because more would keep other writes waiting. */
const atOnce = 100;
/** Days until the data of a workspace that removed the app is deleted. An admin may have removed the app by mistake. */
const workspaceDays = 30;

type Options = {
  /** Days to keep ended requests, and days to keep audit entries. Undefined keeps them forever. */
  requestDays: number | undefined;
  auditDays: number | undefined;
  /** True if a webhook receives the audit log. Only entries that were sent are deleted then. */
  isAuditSent: boolean;
  removal: Pick<RequestRemoval, 'overBefore' | 'remove'>;
  workspaces: WorkspaceRemoval;
  firings: FiringRemoval;
  audit: Pick<Audit, 'note' | 'removeBefore'>;
  /** Deletes runs of the embedded service. */
  removeRuns(ids: readonly string[]): Promise<unknown>;
  logger: Logger;
};

/** Deletes old data at the start and every six hours. */
export const createRetention = (options: Options): Loop =>
  new Loop(async (signal) => {
    try {
      const { requestDays, auditDays, audit, isAuditSent: onlySent } = options;
      const before = (days: number) => Date.now() - days * dayMs;
      const requests =
        requestDays === undefined ? 0 : await removeRequests(options, before(requestDays), signal);
      const auditEntries =
        auditDays === undefined ? 0 : await audit.removeBefore(before(auditDays), { onlySent });
      const firings = await removeFirings(options, signal);
      if (requests + auditEntries + firings > 0)
        options.logger.info({ requests, auditEntries, firings }, 'deleted what was too old');
      const time = before(workspaceDays);
      for (const teamId of await options.workspaces.removedBefore(time))
        if (!signal.aborted) await removeWorkspace(options, teamId, time, signal);
    } catch (error) {
      if (!signal.aborted) options.logger.error({ err: error }, 'cannot delete what is too old');
    }
    return checkMs;
  });

async function removeRequests({ removal }: Options, time: number, signal: AbortSignal) {
  let deleted = 0;
  while (!signal.aborted) {
    const ids = await removal.overBefore(time, atOnce);
    const count = ids.length > 0 ? await removal.remove(ids) : 0;
    if (count === 0) break;
    deleted += count;
  }
  return deleted;
}

/** Deletes the old history of automations. Returns the number of changed rows. */
async function removeFirings({ firings }: Options, signal: AbortSignal): Promise<number> {
  let removed = 0;
  while (!signal.aborted) {
    const some = await firings.removeSome(Date.now());
    if (some === 0) break;
    removed += some;
  }
  return removed;
}

/** Deletes a workspace's data. Runs come before requests, because the requests contain the run IDs. */
async function removeWorkspace(
  { workspaces, removeRuns, audit, logger }: Options,
  teamId: string,
  time: number,
  signal: AbortSignal,
): Promise<void> {
  let requests = 0;
  while (!signal.aborted) {
    const batch = await workspaces.requests(teamId, atOnce);
    if (batch.length === 0) break;
    if (!(await workspaces.removedBefore(time)).includes(teamId)) return;
    await removeRuns(batch.flatMap(({ runId }) => runId ?? []));
    const ids = batch.map(({ id }) => id);
    const deleted = await workspaces.removeRequests(teamId, time, ids);
    // Stop if nothing was deleted, because someone has installed the app again.
    if (deleted === 0) return;
    requests += deleted;
  }
  if (signal.aborted) return;
  await workspaces.removeRest(teamId, time);
  await audit.note({
    id: `workspace_deleted ${teamId} ${time}`,
    teamId,
    actorId: 'system',
    entity: { type: 'workspace', id: teamId },
    action: 'workspace_data_deleted',
  });
  logger.info({ teamId, requests }, 'deleted the data of a workspace that removed the app');
}
