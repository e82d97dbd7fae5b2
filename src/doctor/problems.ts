/** Problems that `slash-agent doctor` can find, each with its remedy. docs/doctor.md is generated from this list. */

type Area = 'Host' | 'Settings' | 'Database' | 'Slack' | 'Runs API' | 'Environments';

/** A problem that the doctor can find. `isNote` marks information that isn't a problem and keeps the exit code 0. */
type Problem = { area: Area; what: string; remedy: string; isNote?: true };

const problem = (area: Area, what: string, remedy: string): Problem => ({ area, what, remedy });

export const problems = {
  'node-too-old': problem('Host', 'Node is too old', 'Install Node 20.19 or later.'),
  'env-file-open': problem(
    'Host',
    'Other users can read .env',
    'Run chmod 600 .env, and replace the tokens in it if others use this host.',
  ),
  'folder-not-writable': problem(
    'Host',
    "A data folder isn't writable",
    "Make the bot's user its owner with chown, or set another DATA_DIR or DATABASE_URL.",
  ),
  'disk-nearly-full': problem(
    'Host',
    'Less than 1 GB is free for data',
    'Free up disk space, or move DATA_DIR to a larger disk.',
  ),
  'undeleted-folders': problem(
    'Host',
    "Folders of ended runs can't be deleted",
    'Look for "cannot delete a folder" in the log, and delete the content of the folder quarantine in DATA_DIR.',
  ),
  'settings-wrong': problem(
    'Settings',
    'Settings are missing or invalid',
    'Set the variables that the message names; docs/configuration.md explains each.',
  ),
  'policy-file-wrong': problem(
    'Settings',
    "The policy file can't be read or has mistakes",
    'Fix the lines that the message names; until then, a running bot applies the last valid rules.',
  ),
  'key-missing': problem(
    'Settings',
    'The encryption key of the database is missing',
    'Restore encryption.key in DATA_DIR, or set ENCRYPTION_KEY.',
  ),
  'database-unreachable': problem(
    'Database',
    "The database can't be opened",
    'Start the database server, or fix DATABASE_URL.',
  ),
  'database-outdated': problem(
    'Database',
    'The tables are from an older version',
    'Start the bot, which updates them.',
  ),
  'database-newer': problem(
    'Database',
    'The tables are from a newer version',
    'Update slash-agent to the version that last used this database.',
  ),
  'key-wrong': problem(
    'Database',
    'The database is encrypted with another key',
    'Restore the key that the database was created with.',
  ),
  'other-workspace': problem(
    'Database',
    'The database belongs to another Slack workspace than the token',
    'Use the token of that workspace, or another DATABASE_URL.',
  ),
  'no-deliveries': problem(
    'Database',
    'Nothing has arrived from Slack yet, or for a week',
    'Type /agent help in Slack; if it fails, compare the app with slash-agent manifest, including its events and options URL.',
  ),
  'outbox-stuck': problem(
    'Database',
    'A post to Slack has been waiting for ten minutes',
    'Look for "post waits" in the log, and check that the bot is running.',
  ),
  'inbox-stuck': problem(
    'Database',
    'A delivery from Slack has been waiting for ten minutes',
    'Look for "background work failed" in the log, and check that the bot is running.',
  ),
  'slack-unreachable': problem(
    'Slack',
    "Slack can't be reached",
    "Check the network and the proxy of the bot's host.",
  ),
  'slack-url-wrong': problem(
    'Slack',
    'There is no Slack Web API at SLACK_API_URL',
    'Remove SLACK_API_URL, or fix it.',
  ),
  'bot-token-rejected': problem(
    'Slack',
    'Slack rejects the bot token',
    'Install the app in the workspace, and set SLACK_BOT_TOKEN to the Bot User OAuth Token.',
  ),
  'scopes-missing': problem(
    'Slack',
    'Slack scopes are missing',
    'Paste the output of slash-agent manifest, and reinstall the app under Install App, twice if Slack grants only some scopes.',
  ),
  'optional-scopes-missing': {
    ...problem(
      'Slack',
      'Some features are off because optional scopes are missing',
      'To turn them on, reinstall the app under Install App, and allow these scopes.',
    ),
    isNote: true,
  },
  'no-workspaces': problem(
    'Slack',
    'The app is in an organization, but in none of its workspaces',
    'Ask an organization admin to add it to workspaces, under Organization settings → Apps.',
  ),
  'app-token-rejected': problem(
    'Slack',
    'Slack rejects the app-level token',
    'Create one with the scope connections:write, set SLACK_APP_TOKEN, and turn on Socket Mode.',
  ),
  'public-url-unreachable': problem(
    'Slack',
    "The bot doesn't respond at PUBLIC_URL",
    "Start the bot, and route PUBLIC_URL to the bot's port in your proxy.",
  ),
  'clock-wrong': problem(
    'Slack',
    "The clock of the bot's host is wrong",
    "Turn on time synchronization, because the bot rejects Slack's signatures if the clock is wrong.",
  ),
  'runs-api-unreachable': problem(
    'Runs API',
    "The runs service can't be reached",
    'Start the service, or fix RUNS_API_URL.',
  ),
  'runs-api-wrong-url': problem(
    'Runs API',
    "There's no runs API at RUNS_API_URL",
    'Set RUNS_API_URL to the address that ends in /api/v1.',
  ),
  'runs-api-key-rejected': problem(
    'Runs API',
    'The runs service rejects the key',
    'Ask the operator of the service for a valid RUNS_API_KEY.',
  ),
  'no-environments': problem(
    'Runs API',
    'The runs service has no environments',
    'Ask the operator of the service to set one up.',
  ),
  'environment-problem': problem(
    'Runs API',
    "Environments don't work",
    "Check the runs service's log for the reason.",
  ),
  'connection-fails': problem(
    'Runs API',
    'Connections that admins added have stopped working',
    "Replace the workspace's key or remove the connection with /agent connect, or ask the operator of its service.",
  ),
  'environments-file-wrong': problem(
    'Environments',
    "The environments file can't be read or has mistakes",
    'Fix the lines that the message names.',
  ),
  'git-missing': problem(
    'Environments',
    "git isn't installed",
    'Install git, or add its folder to PATH.',
  ),
  'environment-broken': problem(
    'Environments',
    "An environment can't run agents",
    'Install the program or the sandbox that the message names.',
  ),
  'cluster-rejects-runs': problem(
    'Environments',
    "A Kubernetes cluster can't execute the runs of an environment",
    'Follow the message; docs/kubernetes.md lists the permissions and settings.',
  ),
  'service-is-root': problem(
    'Environments',
    'The runs service starts no agents as root',
    'Run the doctor and the service as a separate user, or set RUNS_SERVICE_ALLOW_ROOT=true.',
  ),
  'secret-file-unreadable': problem(
    'Environments',
    "A secret file can't be read",
    'Fix the path in secret_files or key_file, or the permissions of the file.',
  ),
  'agent-has-model-key': {
    ...problem(
      'Environments',
      'Agents get the key of a model, which they can read and print',
      'Move the key to key_file in models, and name the provider in the models of the environment; see docs/environments.md.',
    ),
    isNote: true,
  },
  'repository-unreachable': problem(
    'Environments',
    "A repository can't be read",
    'Check its URL, and the credentials of the user that runs the service.',
  ),
} as const satisfies Record<string, Problem>;

export type ProblemName = keyof typeof problems;

/** A problem that was found. `detail` is for the operator and has no secrets. People in Slack can only read `named`. */
export type Finding = { problem: ProblemName; detail: string; named?: string };
