import type { Listeners } from './listeners.ts';
import type { TokenWatch } from './token-watch.ts';

type InstallationEventParts = { tokenWatch: Pick<TokenWatch, 'heard'>; botUserId(): string };

/** Slack says that the app was taken out of the workspace, or its token away. Requests and settings stay for a return. */
export function registerInstallationEvents(
  app: Listeners,
  { tokenWatch, botUserId }: InstallationEventParts,
): void {
  app.event('app_uninstalled', async () => tokenWatch.heard('app_uninstalled'));
  app.event('tokens_revoked', async ({ event }) => {
    // Tokens of people are none of ours.
    if (event.tokens.bot?.includes(botUserId())) tokenWatch.heard('tokens_revoked');
  });
}
