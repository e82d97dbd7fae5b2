/** Printed if a variable is missing or wrong. A test compares the names with docs/configuration.md. */
export const variables = {
  SLACK_BOT_TOKEN:
    'Bot token (xoxb-…) of the workspace or organization. Find it on the Slack app page → OAuth & Permissions, after you install the app.',
  SLACK_APP_TOKEN:
    'App-level token (xapp-…) for Socket Mode. Create it on the Slack app page → Basic Information → App-Level Tokens, with the scope connections:write.',
  SLACK_SIGNING_SECRET:
    'For HTTP mode, instead of SLACK_APP_TOKEN. Find it on the Slack app page → Basic Information → App Credentials.',
  SLACK_CLIENT_ID:
    'For installing the app in many workspaces, and for signing in to session pages with Slack. Find it on the Slack app page → Basic Information → App Credentials.',
  SLACK_CLIENT_SECRET: 'Belongs to SLACK_CLIENT_ID and is on the same page.',
  PUBLIC_URL:
    'Public https address of the bot, for installing it in many workspaces instead of setting SLACK_BOT_TOKEN.',
  SLACK_API_URL: 'Base URL of the Slack Web API. Change it only to use a stand-in for Slack.',
  PORT: "Port for Slack's requests (HTTP mode), installing by OAuth, /healthz and /readyz. Otherwise optional in Socket Mode.",
  HOST: 'Address to listen on, with PORT.',
  RUNS_API_URL: 'Base URL of the runs API, ends in /api/v1. Ask the operator of the runs service.',
  RUNS_API_KEY: 'Key for the runs API. Ask the operator of the runs service.',
  RUNS_API_ALLOW_HTTP:
    '"true" lets RUNS_API_URL be an http URL of another machine. The key is then sent unencrypted.',
  RUNS_SERVICE:
    '"embedded" runs the runs service inside the bot. Then leave out RUNS_API_URL and RUNS_API_KEY.',
  RUN_LINK_DOMAINS:
    'Domains of session pages, separated by commas. Links to them are shown as cards. Use the same domains for --unfurl-domain of slash-agent manifest. Default: the host of the runs service.',
  CONNECTION_HOSTS:
    'Hosts in private networks that admins may add connections to, separated by commas; their URLs can be http. Default: none.',
  RUNS_PER_DAY: 'Runs that one person can start in 24 hours. Default: no limit.',
  LIVE_RUNS: 'Active runs in the workspace at a time. Default: no limit.',
  POLICY_FILE:
    'YAML or JSON file with the rules of who can do what, in place of those that workspace admins set. Default: none.',
  AUDIT_URL: 'Webhook that gets every entry of the audit log as JSON. Default: none.',
  AUDIT_DAYS: 'Days after which entries of the audit log are deleted. Default: they are kept.',
  RUNS_ON_BEHALF_OF:
    '"email" tells the runs service who starts a run, by email address. Needs the scope users:read.email: slash-agent manifest --email.',
  DATABASE_URL:
    'Database for requests and settings: sqlite:<file> or postgres://…. Default: slash-agent.db in DATA_DIR.',
  DATA_DIR:
    'Folder of the SQLite database, a generated key, and what the embedded runs service keeps in files.',
  ENCRYPTION_KEY:
    'Encrypts secrets in the database. Create it with: openssl rand -base64 32. Required for PostgreSQL; with SQLite it is generated into DATA_DIR.',
  METRICS_PORT:
    'Port for /metrics, on the address of HOST or RUNS_SERVICE_HOST. Default: none. Anyone who reaches it can read it.',
  RETENTION_DAYS:
    'Days after which requests and runs that are over are deleted, with their results. Default: they are kept.',
  LOG_LEVEL: 'trace, debug, info, warn, error or silent.',
  RUNS_SERVICE_PORT: 'Port of the embedded runs service.',
  RUNS_SERVICE_HOST: 'Address of the embedded runs service.',
  RUNS_SERVICE_PUBLIC_URL:
    'Address of the embedded runs service in links to session pages, if browsers use another one.',
  RUNS_SERVICE_URL:
    'Address where runs that execute elsewhere reach the embedded runs service. Default: RUNS_SERVICE_PUBLIC_URL, or the address it listens on.',
  KUBECONFIG:
    'File with the cluster for environments with place: kubernetes. Default: ~/.kube/config, or the cluster that the service is in.',
  RUNS_SERVICE_KEYS:
    'Keys for the embedded runs service: name=key (a person) or service:name=key (a program), separated by commas; at least 32 characters each. Or use "slash-agent runs-service keys add".',
  RUNS_SERVICE_ENVIRONMENTS:
    'YAML or JSON file with the environments of the embedded runs service.',
  ARTIFACTS_URL:
    'S3-compatible store for files of runs: s3://bucket/prefix?region=…&endpoint=…. Default: DATA_DIR.',
  TRANSCRIPT_DAYS:
    'Days after which the embedded runs service deletes outputs, changes and files of runs.',
  SESSION_LINK_DAYS:
    'Days after the end of a run in which its session link opens without signing in. Default: 30.',
  SESSION_PAGE_LOGIN: '"true" asks everyone to sign in before a session page opens.',
  RUNS_SERVICE_ALLOW_ROOT:
    '"true" lets the embedded runs service start agents as root. Without it, a service that runs as root starts none.',
  RUNS_SERVICE_CONCURRENCY:
    'Runs that one process of the embedded runs service executes at a time. Default: the number of cores.',
} as const;
export type Variable = keyof typeof variables;

/** Each can also come from a file, named by `<name>_FILE`. */
export const secrets = [
  'SLACK_BOT_TOKEN',
  'SLACK_APP_TOKEN',
  'SLACK_SIGNING_SECRET',
  'SLACK_CLIENT_SECRET',
  'RUNS_API_KEY',
  'RUNS_SERVICE_KEYS',
  'AUDIT_URL',
  'DATABASE_URL',
  'ENCRYPTION_KEY',
  'ARTIFACTS_URL',
] as const satisfies Variable[];
