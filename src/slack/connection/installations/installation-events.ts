import type { Logger } from 'base/logger';
import type { Audit } from '../../../store/audit/audit.ts';
import type { HomeViews } from '../../../store/people/home-views.ts';
import type { Listeners } from '../deliveries/listeners.ts';
import { changedTeams } from './delivery-origin.ts';
import type { Installations } from './installations.ts';
import type { TokenWatch } from './token-watch.ts';

type InstallationEventDeps = {
  tokenWatch: TokenWatch;
  views: HomeViews;
  installations: Installations;
  audit: Audit;
  botUserId(): string;
  /** Wakes the workers, so that waiting work continues. */
  wake(): void;
  logger: Logger;
};

/**
 * Registers listeners for events about the installation. Requests and settings stay stored, in case the app is
 * installed again.
 */
export function registerInstallationEvents(
  app: Listeners,
  { tokenWatch, views, installations, audit, botUserId, wake, logger }: InstallationEventDeps,
): void {
  const note = createInstallationNotes(audit);
  type Reason = 'app_uninstalled' | 'tokens_revoked';
  const revoked = async (reason: Reason, teamId = '', eventId: string) => {
    if (installations.lost) await installations.lost(teamId);
    else tokenWatch.revoked(reason);
    await note(reason, teamId, eventId);
  };
  app.event('app_uninstalled', async ({ context, body }) => {
    await revoked('app_uninstalled', context.teamId, body.event_id);
    await views.forgetPublished(context.teamId ?? '');
  });
  app.event('tokens_revoked', async ({ event, context, body }) => {
    // Ignore the event unless it's about the app's token, because it also reports tokens of users.
    if (!event.tokens?.bot?.includes(botUserId())) return;
    await revoked('tokens_revoked', context.teamId, body.event_id);
  });
  // Don't add the workspaces here, because `Installations.find` has already added them.
  app.event('team_access_granted', async ({ body }) => {
    const { teamIds } = changedTeams(body);
    logger.info({ teamIds }, 'An organization gave the app workspaces');
    for (const id of teamIds)
      if (await installations.load(id)) await note('workspace_access_granted', id, body.event_id);
    wake();
  });
  app.event('team_access_revoked', async ({ context, body }) => {
    const { teamIds } = changedTeams(body);
    const taken = await installations.organizations?.taken(teamIds, context.enterpriseId ?? '');
    logger.info({ teamIds: taken }, 'An organization took workspaces from the app');
    for (const id of taken ?? []) {
      await note('workspace_access_revoked', id, body.event_id);
      await views.forgetPublished(id);
    }
  });
  // Log the start of a migration. Until it ends, Slack rejects calls with `team_added_to_org`, and the app repeats
  // them.
  app.event('grid_migration_started', async ({ context, body }) => {
    logger.warn(
      { teamId: context.teamId },
      'A workspace moves into an organization; calls may wait',
    );
    await note('workspace_migration_started', context.teamId ?? '', body.event_id);
  });
  app.event('grid_migration_finished', async ({ context, body }) => {
    logger.info({ teamId: context.teamId }, 'A workspace is in its organization now');
    await note('workspace_migration_finished', context.teamId ?? '', body.event_id);
    wake();
  });
}

/**
 * Creates a function that adds changes of installations to the audit log. The actor is `system`, because Slack doesn't
 * name one.
 */
export const createInstallationNotes =
  (audit: Pick<Audit, 'note'>) =>
  (action: string, teamId: string, eventId: string): Promise<void> =>
    audit.note({
      id: `${action} ${eventId} ${teamId}`,
      teamId,
      actorId: 'system',
      action,
      entity: { type: 'workspace', id: teamId },
    });
