/** Everything that `slash-agent doctor` can find, with what to do. docs/doctor.md is generated from here. */

type Area = 'This machine' | 'Settings' | 'Database' | 'Slack' | 'Runs API' | 'Environments';

/** `isNote`: nothing is wrong, and the exit code of the doctor stays 0. */
type Fault = { area: Area; what: string; remedy: string; isNote?: true };

const fault = (area: Area, what: string, remedy: string): Fault => ({ area, what, remedy });

export const faults = {
  'node-too-old': fault('This machine', 'Node is too old', 'Install Node 20.19 or later.'),
  'env-file-open': fault(
    'This machine',
    'Other users can read .env',
    'Run chmod 600 .env, and replace the tokens in it if others use this machine.',
  ),
  'folder-not-writable': fault(
    'This machine',
    "A folder for data can't be written",
    'Give this user the folder with chown, or set another DATA_DIR or DATABASE_URL.',
  ),
  'disk-nearly-full': fault(
    'This machine',
    'Less than 1 GB is free for data',
    'Make room, or move DATA_DIR to a larger disk.',
  ),
  'undeleted-folders': fault(
    'This machine',
    "Folders of ended runs can't be deleted",
    'Look for "cannot delete a folder" in the log, and delete what is in the folder quarantine of DATA_DIR.',
  ),
  'settings-wrong': fault(
    'Settings',
    'Variables are missing or wrong',
    'Set the variables that the message names; docs/configuration.md explains each.',
  ),
  'policy-file-wrong': fault(
    'Settings',
    "The policy file can't be read or has mistakes",
    'Fix the lines that the message names. Until then, a bot that runs keeps its last good rules.',
  ),
  'key-missing': fault(
    'Settings',
    'There is a database, but not its encryption key',
    'Put encryption.key back into DATA_DIR, or set ENCRYPTION_KEY.',
  ),
  'database-away': fault(
    'Database',
    "The database can't be opened",
    'Start the server, or fix DATABASE_URL.',
  ),
  'database-outdated': fault(
    'Database',
    'Its tables are of an older version',
    'Start the bot: it brings them up to date.',
  ),
  'database-newer': fault(
    'Database',
    'Its tables are of a newer version',
    'Update slash-agent to the version that last used this database.',
  ),
  'key-wrong': fault(
    'Database',
    'It was encrypted with another key',
    'Put the key back that the database was made with.',
  ),
  'other-workspace': fault(
    'Database',
    'It belongs to another Slack workspace than the token',
    'Use the token of that workspace, or another DATABASE_URL.',
  ),
  'no-deliveries': fault(
    'Database',
    'Nothing has arrived from Slack so far, or for a week',
    'Type /agent help in Slack; if it fails, compare the app with slash-agent manifest, also its events and options URL.',
  ),
  'outbox-stuck': fault(
    'Database',
    'A post has waited for Slack for ten minutes',
    'Look for "post waits" in the log, and check that the bot runs.',
  ),
  'inbox-stuck': fault(
    'Database',
    "Something that arrived hasn't been handled for ten minutes",
    'Look for "background work failed" in the log, and check that the bot runs.',
  ),
  'slack-away': fault(
    'Slack',
    "Slack can't be reached",
    'Check the network and the proxy of this machine.',
  ),
  'slack-url-wrong': fault(
    'Slack',
    'There is no Slack Web API at SLACK_API_URL',
    'Remove SLACK_API_URL, or fix it.',
  ),
  'bot-token-rejected': fault(
    'Slack',
    'Slack rejects the bot token',
    'Install the app in the workspace and set SLACK_BOT_TOKEN to the Bot User OAuth Token.',
  ),
  'scopes-missing': fault(
    'Slack',
    'The app lacks scopes of the manifest',
    'Paste the output of slash-agent manifest, and reinstall the app under Install App. Slack may grant only some scopes the first time.',
  ),
  'optional-scopes-missing': {
    ...fault(
      'Slack',
      'Optional scopes are missing, so some features are off',
      'To turn them on, reinstall the app under Install App, and allow these scopes.',
    ),
    isNote: true,
  },
  'no-workspaces': fault(
    'Slack',
    'The app is in an organization, but in none of its workspaces',
    'An organization admin adds it to workspaces, under Organization settings → Apps.',
  ),
  'app-token-rejected': fault(
    'Slack',
    'Slack rejects the app-level token',
    'Create one with the scope connections:write, set SLACK_APP_TOKEN, and turn on Socket Mode.',
  ),
  'public-url-silent': fault(
    'Slack',
    "The bot doesn't answer at PUBLIC_URL",
    'Start the bot, and lead PUBLIC_URL to its port at your proxy.',
  ),
  'clock-wrong': fault(
    'Slack',
    'The clock of this machine is wrong',
    "Turn on time synchronization: with a wrong clock, Slack's signatures are refused.",
  ),
  'runs-api-away': fault(
    'Runs API',
    "The runs service can't be reached",
    'Start the service, or fix RUNS_API_URL.',
  ),
  'runs-api-wrong-url': fault(
    'Runs API',
    'Something else answers at RUNS_API_URL',
    'Set RUNS_API_URL to the address that ends in /api/v1.',
  ),
  'runs-api-key-rejected': fault(
    'Runs API',
    'The runs service rejects the key',
    'Ask the operator of the service for a valid RUNS_API_KEY.',
  ),
  'no-environments': fault(
    'Runs API',
    'The runs service offers no environment',
    'Ask the operator of the service to set one up.',
  ),
  'environment-problem': fault(
    'Runs API',
    "The runs service says that an environment doesn't work",
    "Fix it on the machine of the service: the service's log says what it is.",
  ),
  'connection-fails': fault(
    'Runs API',
    'A connection that an admin added has stopped working',
    "Replace the workspace's key or remove the connection with /agent connect, or ask the operator of its service.",
  ),
  'environments-file-wrong': fault(
    'Environments',
    "The environments file can't be read or has mistakes",
    'Fix the places that the message names.',
  ),
  'git-missing': fault(
    'Environments',
    "git isn't installed",
    'Install git, or add its folder to PATH.',
  ),
  'environment-broken': fault(
    'Environments',
    'Runs in an environment fail',
    'Install the program or the sandbox that the message names.',
  ),
  'cluster-refuses': fault(
    'Environments',
    "A Kubernetes cluster can't execute the runs of an environment",
    'Do what the message says; docs/kubernetes.md has the rights and settings.',
  ),
  'service-is-root': fault(
    'Environments',
    'The runs service would run as root, so it starts no agents',
    'Run the doctor and the service as a separate user, or set RUNS_SERVICE_ALLOW_ROOT=true.',
  ),
  'secret-file-unreadable': fault(
    'Environments',
    "A file with a secret can't be read",
    'Fix the path in secret_files, or the rights of the file.',
  ),
  'repository-unreachable': fault(
    'Environments',
    "A repository can't be read",
    'Check its URL, and the credentials of the user that runs the service.',
  ),
} as const satisfies Record<string, Fault>;

export type FaultName = keyof typeof faults;

/** `detail` says what was seen, without secrets; `named`, the part of it that people in Slack may read too. */
export type Finding = { fault: FaultName; detail: string; named?: string };
