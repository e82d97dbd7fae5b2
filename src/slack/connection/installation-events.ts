import type { Audit } from '../../store/audit/audit.ts';
import type { HomeViews } from '../../store/people/home-views.ts';
import type { Installations } from './installations.ts';
import type { Listeners } from './listeners.ts';
import type { TokenWatch } from './token-watch.ts';

type InstallationEventParts = {
  tokenWatch: Pick<TokenWatch, 'revoked'>;
  views: Pick<HomeViews, 'forgetPublished'>;
  installations: Pick<Installations, 'lost'>;
  audit: Pick<Audit, 'note'>;
  botUserId(): string;
};

/** Handles uninstalling and revoked tokens. Requests and settings stay, in case the app is installed again. */
export function registerInstallationEvents(
  app: Listeners,
  { tokenWatch, views, installations, audit, botUserId }: InstallationEventParts,
): void {
  type Reason = 'app_uninstalled' | 'tokens_revoked';
  const revoked = async (reason: Reason, teamId = '', eventId: string) => {
    if (installations.lost) await installations.lost(teamId);
    else tokenWatch.revoked(reason);
    // Slack doesn't say who did it.
    const noted = { id: `${reason} ${eventId}`, teamId, actorId: 'system', action: reason };
    await audit.note({ ...noted, entity: { type: 'workspace', id: teamId } });
  };
  app.event('app_uninstalled', async ({ context, body }) => {
    await revoked('app_uninstalled', context.teamId, body.event_id);
    await views.forgetPublished(context.teamId ?? '');
  });
  app.event('tokens_revoked', async ({ event, context, body }) => {
    // The event also reports the tokens of users.
    if (!event.tokens?.bot?.includes(botUserId())) return;
    await revoked('tokens_revoked', context.teamId, body.event_id);
  });
}
