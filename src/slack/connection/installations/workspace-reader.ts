import type { Logger } from 'base/logger';
import { Loop } from 'base/time/loop';
import { retryDelayMs } from 'base/time/retry-delay';
import type { Audit } from '../../../store/audit/audit.ts';
import type { HomeViews } from '../../../store/people/home-views.ts';
import { isSlackError, needsAdmin, readSlackFailure } from '../../posting/slack-failure.ts';
import { createInstallationNotes } from './installation-events.ts';
import type { Installations, OrganizationTeams } from './installations.ts';

type ReaderDeps = {
  installations: Pick<Installations, 'organizations'>;
  audit: Pick<Audit, 'note'>;
  views: Pick<HomeViews, 'forgetPublished'>;
  /** Wakes the workers, so that work of new workspaces continues. */
  wake(): void;
  logger: Logger;
};

const hourMs = 60 * 60_000;

/**
 * Creates a loop that reads the organizations' workspaces hourly and after an installation, because events can be late
 * or lost.
 */
export function createWorkspaceReader({ installations, audit, views, wake, logger }: ReaderDeps) {
  const note = createInstallationNotes(audit);
  let failures = 0;
  const loop = new Loop(async () => {
    const { organizations } = installations;
    const isOver = organizations ? await readAll(organizations).catch(report) : true;
    failures = isOver ? 0 : failures + 1;
    return isOver ? hourMs : retryDelayMs(failures);
  });

  /** Reads the workspaces of all organizations. Returns false if the reading should be tried again soon. */
  async function readAll(organizations: OrganizationTeams): Promise<boolean> {
    let isOver = true;
    for (const id of await organizations.list())
      isOver = (await readOne(organizations, id).catch(report)) && isOver;
    return isOver;
  }

  async function readOne(organizations: OrganizationTeams, id: string): Promise<true> {
    const { given, taken } = await organizations.read(id);
    const when = `list ${Date.now()}`;
    for (const teamId of given) await note('workspace_access_granted', teamId, when);
    for (const teamId of taken) {
      await note('workspace_access_revoked', teamId, when);
      await views.forgetPublished(teamId);
    }
    if (given.length + taken.length > 0)
      logger.info({ organization: id, given, taken }, "Read an organization's workspaces");
    if (given.length > 0) wake();
    return true;
  }

  function report(error: unknown): boolean {
    const { outcome, reason } = isSlackError(error)
      ? readSlackFailure(error)
      : { outcome: 'later', reason: String(error) };
    logger.warn({ reason }, "Couldn't read an organization's workspaces, trying again");
    return outcome === 'rejected' || needsAdmin(reason);
  }

  return { start: () => loop.start(), stop: () => loop.stop(), wake: () => loop.wake() };
}
