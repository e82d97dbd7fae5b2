import { z } from 'zod';

/** Options that depend on where the app runs. */
type ManifestOptions = {
  /** The app's public address, for HTTP mode. Without it, the app uses Socket Mode. */
  url?: string | undefined;
  /** Domains whose links Slack shows as cards. */
  unfurlDomains: readonly string[];
  /** Public address of the embedded runs service, where people sign in with Slack. */
  signInUrl?: string | undefined;
  /** The app's public address, for installing it in many workspaces. Tokens then expire and are refreshed. */
  installUrl?: string | undefined;
  /** True if only the organization that owns the app installs it. Slack allows the workflow step only then. */
  isOwnOrg?: boolean | undefined;
  /** True for free Slack plans, which have no workflow steps, agent sessions and organizations. */
  isPlain?: boolean | undefined;
  /** True if the app reads people's email addresses, for `RUNS_ON_BEHALF_OF`. */
  readsEmail?: boolean | undefined;
};

const sourceSchema = z.looseObject({
  features: z.looseObject({ slash_commands: z.array(z.looseObject({ command: z.string() })) }),
  oauth_config: z.looseObject({ scopes: z.looseObject({ bot: z.array(z.string()) }) }),
  settings: z.looseObject({
    event_subscriptions: z.looseObject({ bot_events: z.array(z.string()) }),
    interactivity: z.looseObject({}),
  }),
});
type Source = z.infer<typeof sourceSchema>;

/** Entries of the manifest that one feature needs. */
type Feature = { features: string[]; settings: string[]; events: string[]; scopes: string[] };

const workflowStep: Feature = {
  features: [],
  settings: ['function_runtime'],
  events: ['function_executed'],
  scopes: [],
};
const agentSessions: Feature = {
  features: ['agent_view'],
  settings: [],
  // Subscribe to `app_context_changed`, because Slack otherwise doesn't include the person's current channel in
  // messages.
  events: ['agent_session_stopped', 'app_context_changed'],
  scopes: ['assistant:write'],
};
const organizations: Feature = {
  features: [],
  settings: ['org_deploy_enabled'],
  events: ['team_access_granted', 'team_access_revoked'],
  scopes: [],
};

/**
 * Completes the manifest. In HTTP mode, commands, events, clicks and picker searches are sent to the same address.
 * https://docs.slack.dev/reference/app-manifest
 */
export function finishManifest(source: unknown, options: ManifestOptions) {
  const { url, unfurlDomains, signInUrl, installUrl, readsEmail = false } = options;
  const manifest = withoutFeatures(sourceSchema.parse(source), options);
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

/** Removes features that can't be used. Other organizations can't install an app with a workflow step. */
function withoutFeatures(
  { functions, ...manifest }: Source,
  { installUrl, isOwnOrg = false, isPlain = false }: ManifestOptions,
): Source {
  const hasStep = !isPlain && (!installUrl || isOwnOrg);
  const rest = { ...manifest, ...(hasStep && functions !== undefined && { functions }) };
  const left = [
    ...(hasStep ? [] : [workflowStep]),
    ...(isPlain ? [agentSessions, organizations] : []),
  ];
  return left.reduce(withoutFeature, rest);
}

function withoutFeature(manifest: Source, part: Feature): Source {
  const { features, settings, oauth_config: oauth } = manifest;
  const { event_subscriptions: events } = settings;
  return {
    ...manifest,
    features: sourceSchema.shape.features.parse(without(features, part.features)),
    oauth_config: {
      ...oauth,
      scopes: { ...oauth.scopes, bot: minus(oauth.scopes.bot, part.scopes) },
    },
    settings: {
      ...sourceSchema.shape.settings.parse(without(settings, part.settings)),
      event_subscriptions: { ...events, bot_events: minus(events.bot_events, part.events) },
    },
  };
}

const minus = (all: readonly string[], left: readonly string[]) =>
  all.filter((each) => !left.includes(each));

const without = (given: object, names: readonly string[]) =>
  Object.fromEntries(Object.entries(given).filter(([name]) => !names.includes(name)));

const withoutSlash = (url: string) => url.replace(/\/+$/, '');
