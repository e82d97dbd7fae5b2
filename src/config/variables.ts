import { createSettings } from 'base/config/read-settings';
import { serviceSecrets, serviceVariables } from 'runs-service/config/variables';

/**
 * Variables of the bot and of its embedded runs service. Each has the text that is printed if it's missing or wrong. A
 * test compares the names with docs/configuration.md.
 */
export const variables = {
  SLACK_BOT_TOKEN:
    'Bot token (xoxb-…) of the workspace or organization. Find it on the Slack app page → OAuth & Permissions, after you install the app.',
  SLACK_APP_TOKEN:
    'App-level token (xapp-…) for Socket Mode. Create it on the Slack app page → Basic Information → App-Level Tokens, with the scope connections:write.',
  SLACK_SIGNING_SECRET:
    'For HTTP mode, instead of SLACK_APP_TOKEN. Find it on the Slack app page → Basic Information → App Credentials.',
  SLACK_CLIENT_ID:
    'Client ID of the app, to install it in many workspaces and to sign in to session pages. Find it on the Slack app page → Basic Information → App Credentials.',
  SLACK_CLIENT_SECRET: 'Client secret of the app. It is on the same page as SLACK_CLIENT_ID.',
  PUBLIC_URL:
    'Public https address of the bot, for webhooks, and to install the app in many workspaces instead of setting SLACK_BOT_TOKEN.',
  SLACK_API_URL: 'Base URL of the Slack Web API. Only for the local stand-in.',
  PORT: "Port for Slack's requests (HTTP mode), OAuth, webhooks, /healthz and /readyz. Optional in Socket Mode.",
  HOST: 'Address for PORT and METRICS_PORT.',
  RUNS_API_URL:
    'Base URL of the runs API. It ends in /api/v1. Ask the operator of the runs service.',
  RUNS_API_KEY: 'Key for the runs API. Ask the operator of the runs service.',
  RUNS_API_ALLOW_HTTP:
    '"true" lets RUNS_API_URL be an http URL of another machine. The key is then sent unencrypted.',
  RUNS_SERVICE:
    '"embedded" runs the runs service inside the bot. Then leave out RUNS_API_URL and RUNS_API_KEY.',
  UNFURL_DOMAINS:
    'Domains of session pages, separated by commas. Links to them are shown as cards. Use the same domains for --unfurl-domain of slash-agent manifest. Default: the host of the runs service.',
  CONNECTION_HOSTS:
    'Hosts in private networks that admins can add connections to, separated by commas; their URLs can be http. Default: none.',
  MAX_RUNS_PER_PERSON_PER_DAY: 'Max runs that one person can start in 24 hours. Default: no limit.',
  MAX_ACTIVE_RUNS: 'Max active runs in a workspace. Default: no limit.',
  POLICY_FILE:
    'YAML or JSON file with rules, which replace the rules that workspace admins set in Slack. Default: none.',
  AUDIT_URL: 'Webhook that receives every entry of the audit log as JSON. Default: none.',
  AUDIT_DAYS: 'Days after which entries of the audit log are deleted. Default: never.',
  RUNS_ON_BEHALF_OF:
    '"email" tells the runs service who starts a run, by email address. Needs the scope users:read.email: slash-agent manifest --email.',
  ...serviceVariables,
} as const;
export type Variable = keyof typeof variables;

/** Variables that can also come from a file, named by `<name>_FILE`. */
export const secrets = [
  'SLACK_BOT_TOKEN',
  'SLACK_APP_TOKEN',
  'SLACK_SIGNING_SECRET',
  'SLACK_CLIENT_SECRET',
  'RUNS_API_KEY',
  'AUDIT_URL',
  ...serviceSecrets,
] as const satisfies Variable[];

export const settings = createSettings(variables, secrets);
