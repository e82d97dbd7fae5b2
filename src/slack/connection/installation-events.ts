import type { HomeViews } from '../../store/home-views.ts';
import type { Listeners } from './listeners.ts';
import type { TokenWatch } from './token-watch.ts';

type InstallationEventParts = {
  tokenWatch: Pick<TokenWatch, 'heard'>;
  views: Pick<HomeViews, 'forgetPublished'>;
  botUserId(): string;
};

/** Slack says that the app was uninstalled or its token revoked. Requests and settings stay for a reinstall. */
export function registerInstallationEvents(
  app: Listeners,
  { tokenWatch, views, botUserId }: InstallationEventParts,
): void {
  app.event('app_uninstalled', async ({ context }) => {
    tokenWatch.heard('app_uninstalled');
    await views.forgetPublished(context.teamId ?? '');
  });
  app.event('tokens_revoked', async ({ event }) => {
    // Tokens of people are none of ours.
    if (event.tokens?.bot?.includes(botUserId())) tokenWatch.heard('tokens_revoked');
  });
}
