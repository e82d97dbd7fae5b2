import { z } from 'zod';

/** Options that depend on where the app runs. */
type ManifestOptions = {
  /** The app's public address, for HTTP mode. Without it, the app uses Socket Mode. */
  url?: string | undefined;
  /** Links to these domains are shown as cards. */
  unfurlDomains: readonly string[];
  /** The address of the embedded runs service, where people sign in with Slack. */
  signInUrl?: string | undefined;
  /** The app's public address, for installing it in many workspaces. Tokens then expire and are refreshed. */
  installUrl?: string | undefined;
  /** The app reads the email addresses of people, for `RUNS_ON_BEHALF_OF`. */
  readsEmail?: boolean | undefined;
};

const sourceSchema = z.looseObject({
  features: z.looseObject({ slash_commands: z.array(z.looseObject({ command: z.string() })) }),
  oauth_config: z.looseObject({ scopes: z.looseObject({ bot: z.array(z.string()) }) }),
  settings: z.looseObject({
    event_subscriptions: z.looseObject({}),
    interactivity: z.looseObject({}),
  }),
});

/**
 * The manifest for Slack. Slack sends everything to one address: commands, events, clicks, and searches in pickers.
 * https://docs.slack.dev/reference/app-manifest
 */
export function finishManifest(
  source: unknown,
  { url, unfurlDomains, signInUrl, installUrl, readsEmail = false }: ManifestOptions,
) {
  const manifest = sourceSchema.parse(source);
  const { features, settings, oauth_config: oauth } = manifest;
  const { event_subscriptions: events, interactivity } = settings;
  const to = url && `${withoutSlash(url)}/slack/events`;
  const redirectUrls = [
    ...(signInUrl ? [`${withoutSlash(signInUrl)}/sign-in/slack/return`] : []),
    ...(installUrl ? [`${withoutSlash(installUrl)}/slack/oauth_redirect`] : []),
  ];
  return {
    ...manifest,
    features: {
      ...features,
      ...(unfurlDomains.length > 0 && { unfurl_domains: [...unfurlDomains] }),
      slash_commands: features.slash_commands.map((each) => ({ ...each, ...(to && { url: to }) })),
    },
    oauth_config: {
      ...oauth,
      ...(redirectUrls.length > 0 && { redirect_urls: redirectUrls }),
      ...(readsEmail && {
        scopes: { ...oauth.scopes, bot: [...oauth.scopes.bot, 'users:read.email'] },
      }),
    },
    settings: {
      ...settings,
      event_subscriptions: { ...(to && { request_url: to }), ...events },
      interactivity: {
        ...interactivity,
        ...(to && { request_url: to, message_menu_options_url: to }),
      },
      socket_mode_enabled: !to,
      ...(installUrl && { token_rotation_enabled: true }),
    },
  };
}

const withoutSlash = (url: string) => url.replace(/\/+$/, '');
