import type { HomeViews } from '../../store/people/home-views.ts';
import type { Installations } from './installations.ts';
import type { Listeners } from './listeners.ts';
import type { TokenWatch } from './token-watch.ts';

type InstallationEventParts = {
  tokenWatch: Pick<TokenWatch, 'revoked'>;
  views: Pick<HomeViews, 'forgetPublished'>;
  installations: Pick<Installations, 'lost'>;
  botUserId(): string;
};

/** Handles uninstalling and revoked tokens. Requests and settings stay, in case the app is installed again. */
export function registerInstallationEvents(
  app: Listeners,
  { tokenWatch, views, installations, botUserId }: InstallationEventParts,
): void {
  const revoked = async (reason: 'app_uninstalled' | 'tokens_revoked', teamId = '') => {
    if (installations.lost) await installations.lost(teamId);
    else tokenWatch.revoked(reason);
  };
  app.event('app_uninstalled', async ({ context }) => {
    await revoked('app_uninstalled', context.teamId);
    await views.forgetPublished(context.teamId ?? '');
  });
  app.event('tokens_revoked', async ({ event, context }) => {
    // The event also reports the tokens of users.
    if (event.tokens?.bot?.includes(botUserId())) await revoked('tokens_revoked', context.teamId);
  });
}
