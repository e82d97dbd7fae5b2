import type { HomeViews } from '../../store/people/home-views.ts';
import type { Listeners } from './listeners.ts';
import type { TokenWatch } from './token-watch.ts';

type InstallationEventParts = {
  tokenWatch: Pick<TokenWatch, 'revoked'>;
  views: Pick<HomeViews, 'forgetPublished'>;
  botUserId(): string;
};

/** Handles uninstalling and revoked tokens. Requests and settings stay, in case the app is installed again. */
export function registerInstallationEvents(
  app: Listeners,
  { tokenWatch, views, botUserId }: InstallationEventParts,
): void {
  app.event('app_uninstalled', async ({ context }) => {
    tokenWatch.revoked('app_uninstalled');
    await views.forgetPublished(context.teamId ?? '');
  });
  app.event('tokens_revoked', async ({ event }) => {
    // The event also reports the tokens of users.
    if (event.tokens?.bot?.includes(botUserId())) tokenWatch.revoked('tokens_revoked');
  });
}
