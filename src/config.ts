/** Reads the configuration from the environment. No other file does. */
import { existsSync, readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { sendsKeyInClear } from 'runs-client/base-url';
import { z } from 'zod';
import { ExplainedError } from './lib/explained-error.ts';
import { withSecretFiles } from './lib/secret-files.ts';

export type Environment = Record<string, string | undefined>;

/** Printed if a variable is missing or wrong. A test compares the names with docs/configuration.md. */
export const variables = {
  SLACK_BOT_TOKEN:
    'Bot token (xoxb-…). Find it on the Slack app page → OAuth & Permissions, after you install the app.',
  SLACK_APP_TOKEN:
    'App-level token (xapp-…) for Socket Mode. Create it on the Slack app page → Basic Information → App-Level Tokens, with the scope connections:write.',
  SLACK_SIGNING_SECRET:
    'For HTTP mode, instead of SLACK_APP_TOKEN. Find it on the Slack app page → Basic Information → App Credentials.',
  SLACK_API_URL: 'Base URL of the Slack Web API. Change it only to use a stand-in for Slack.',
  PORT: "Port for Slack's requests (HTTP mode) and /healthz. Optional in Socket Mode.",
  HOST: 'Address to listen on, with PORT.',
  RUNS_API_URL:
    'Base URL of the runs API, ends in /api/v1. Ask the person who runs the runs service.',
  RUNS_API_KEY: 'Key for the runs API. Ask the person who runs the runs service.',
  RUNS_API_ALLOW_HTTP:
    '"true" lets RUNS_API_URL be an http URL of another machine. The key is then sent unencrypted.',
  RUNS_SERVICE:
    '"embedded" runs the runs service inside the bot. Then leave out RUNS_API_URL and RUNS_API_KEY.',
  RUN_LINK_DOMAINS:
    'Domains of session pages, separated by commas. Links to them are shown as cards. Use the same domains for --unfurl-domain of npm run manifest. Default: the host of the runs service.',
  RUNS_PER_DAY: 'Runs that one person can start in 24 hours. Default: no limit.',
  LIVE_RUNS: 'Active runs in the workspace at a time. Default: no limit.',
  DATABASE_URL: 'Database for requests and settings: sqlite:<file> or postgres://….',
  DATA_DIR: 'Folder of the embedded runs service for checkouts and transcripts.',
  LOG_LEVEL: 'trace, debug, info, warn, error or silent.',
  RUNS_SERVICE_PORT: 'Port of the embedded runs service.',
  RUNS_SERVICE_HOST: 'Address of the embedded runs service.',
  RUNS_SERVICE_PUBLIC_URL:
    'Address of the embedded runs service in links to session pages, if browsers use another one.',
  RUNS_SERVICE_KEYS:
    'Keys for the embedded runs service: name=key (a person) or service:name=key (a program), separated by commas; at least 32 characters each. Or use "npm run runs-service -- keys add".',
  RUNS_SERVICE_ENVIRONMENTS:
    'YAML or JSON file with the environments of the embedded runs service.',
  SESSION_LINK_DAYS:
    'Days after the end of a run in which its session link opens without signing in. Default: 30.',
  SESSION_PAGE_LOGIN: '"true" asks everyone for an API key before a session page opens.',
  RUNS_SERVICE_CONCURRENCY:
    'Runs that one process of the embedded runs service executes at a time. Default: the number of cores.',
} as const;
export type Variable = keyof typeof variables;

/** Each can also come from a file, named by `<name>_FILE`. */
const secrets = [
  'SLACK_BOT_TOKEN',
  'SLACK_APP_TOKEN',
  'SLACK_SIGNING_SECRET',
  'RUNS_API_KEY',
  'RUNS_SERVICE_KEYS',
  'DATABASE_URL',
] as const satisfies Variable[];

const isPort = { error: 'must be a number from 0 to 65535' };
const port = z.coerce.number(isPort).int(isPort).min(0, isPort).max(65_535, isPort);
const isCount = { error: 'must be a whole number, 1 or more' };
const count = z.coerce.number(isCount).int(isCount).min(1, isCount);
const flag = z.enum(['true', 'false'], { error: 'can only be "true" or "false"' });
const domains = z
  .string()
  .regex(/^[\w.-]+(\s*,\s*[\w.-]+)*$/, {
    error: 'must be a list of domains, such as runs.example.com',
  })
  .transform((list) => list.toLowerCase().split(/\s*,\s*/));
const httpUrl = z.url({ protocol: /^https?$/, error: 'must be an http or https URL' });

const shared = {
  DATABASE_URL: z
    .string()
    .regex(/^(sqlite:.+|postgres(ql)?:\/\/.+)$/, {
      error: 'must start with sqlite: or postgres://',
    })
    .default('sqlite:./data/slash-agent.db'),
  DATA_DIR: z.string().min(1).default('./data'),
  LOG_LEVEL: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'silent'], { error: 'has an unknown value' })
    .default('info'),
};

const botVariables = z.object({
  SLACK_BOT_TOKEN: z.string().regex(/^xoxb-./, { error: 'must be a token that starts with xoxb-' }),
  SLACK_APP_TOKEN: z
    .string()
    .regex(/^xapp-./, { error: 'must be a token that starts with xapp-' })
    .optional(),
  SLACK_SIGNING_SECRET: z.string().min(8, { error: 'is too short' }).optional(),
  SLACK_API_URL: httpUrl.default('https://slack.com/api/'),
  PORT: port.optional(),
  HOST: z.string().min(1).default('127.0.0.1'),
  RUNS_API_URL: httpUrl.regex(/\/api\/v1\/?$/, { error: 'must end in /api/v1' }),
  RUNS_API_KEY: z.string().min(1),
  RUNS_API_ALLOW_HTTP: flag.optional(),
  RUNS_SERVICE: z.literal('embedded', { error: 'can only be "embedded"' }).optional(),
  RUN_LINK_DOMAINS: domains.optional(),
  RUNS_PER_DAY: count.optional(),
  LIVE_RUNS: count.optional(),
  ...shared,
});

const runsServiceVariables = z.object({
  RUNS_SERVICE_PORT: port.default(4800),
  RUNS_SERVICE_HOST: z.string().min(1).default('127.0.0.1'),
  RUNS_SERVICE_PUBLIC_URL: httpUrl.optional(),
  PATH: z.string().optional(),
  RUNS_SERVICE_KEYS: z.string().default(''),
  RUNS_SERVICE_ENVIRONMENTS: z.string().min(1),
  RUNS_SERVICE_CONCURRENCY: count.optional(),
  SESSION_LINK_DAYS: count.default(30),
  SESSION_PAGE_LOGIN: flag.optional(),
  ...shared,
});

const embeddedBotVariables = botVariables
  .omit({ RUNS_API_URL: true, RUNS_API_KEY: true, RUNS_API_ALLOW_HTTP: true })
  .extend(runsServiceVariables.shape);

/** How the bot receives Slack's deliveries. */
export type SlackDelivery =
  | { mode: 'socket'; appToken: string }
  | { mode: 'http'; signingSecret: string; port: number; host: string };

export type BotConfig = {
  slack: { botToken: string; apiUrl: string; delivery: SlackDelivery };
  health: { port: number; host: string } | undefined;
  runsApi: RemoteRuns | EmbeddedRuns;
  /** Links to these hosts and their subdomains can be links to runs. */
  runLinkDomains?: readonly string[];
  /** Undefined means no limit. */
  limits?: { runsPerDay: number | undefined; liveRuns: number | undefined };
  databaseUrl: string;
  logLevel: z.infer<typeof shared.LOG_LEVEL>;
};

/** `settleMs`: how long after a lost answer the service may still create the run. Default: the client's value. */
export type RemoteRuns = {
  baseUrl: string;
  apiKey: string;
  allowHttp?: boolean;
  settleMs?: number;
};
/** The runs service inside the bot. */
export type EmbeddedRuns = { embedded: RunsServiceConfig };

const defaultHttpPort = 3000;

/** @throws ExplainedError that lists all missing and wrong variables and where to get them */
export function readBotConfig(environment: Environment): BotConfig {
  const values = settingsOf(environment);
  const isEmbedded = values['RUNS_SERVICE'] === 'embedded';
  const { data, problems } = check(isEmbedded ? embeddedBotVariables : botVariables, values);
  if (isEmbedded && values['RUNS_API_URL'])
    problems.push("  RUNS_API_URL and RUNS_SERVICE can't both be set. Remove one.");
  if (
    data &&
    'RUNS_API_URL' in data &&
    sendsKeyInClear(data.RUNS_API_URL) &&
    data.RUNS_API_ALLOW_HTTP !== 'true'
  )
    problems.push(
      '  RUNS_API_URL must be an https URL, or the key is sent unencrypted. If you trust the network, set RUNS_API_ALLOW_HTTP=true.',
    );
  if (!values['SLACK_APP_TOKEN'] && !values['SLACK_SIGNING_SECRET']) {
    problems.push(
      missing('SLACK_APP_TOKEN'),
      `    or, for HTTP mode, ${missing('SLACK_SIGNING_SECRET').trim()}`,
    );
  }
  if (!data || problems.length > 0) throw new ExplainedError(explain(problems));
  const http = { port: data.PORT ?? defaultHttpPort, host: data.HOST };
  const delivery: SlackDelivery = data.SLACK_APP_TOKEN
    ? { mode: 'socket', appToken: data.SLACK_APP_TOKEN }
    : { mode: 'http', signingSecret: data.SLACK_SIGNING_SECRET ?? '', ...http };
  const sessionsAt =
    'RUNS_API_URL' in data
      ? data.RUNS_API_URL
      : (data.RUNS_SERVICE_PUBLIC_URL ?? `http://${data.RUNS_SERVICE_HOST}`);
  return {
    slack: { botToken: data.SLACK_BOT_TOKEN, apiUrl: withSlash(data.SLACK_API_URL), delivery },
    health: delivery.mode === 'socket' && data.PORT !== undefined ? http : undefined,
    runsApi:
      'RUNS_API_URL' in data
        ? {
            baseUrl: data.RUNS_API_URL.replace(/\/$/, ''),
            apiKey: data.RUNS_API_KEY,
            allowHttp: data.RUNS_API_ALLOW_HTTP === 'true',
          }
        : { embedded: runsServiceConfigOf(data) },
    runLinkDomains: data.RUN_LINK_DOMAINS ?? [new URL(sessionsAt).hostname],
    limits: { runsPerDay: data.RUNS_PER_DAY, liveRuns: data.LIVE_RUNS },
    databaseUrl: data.DATABASE_URL,
    logLevel: data.LOG_LEVEL,
  };
}

/** @throws ExplainedError like {@link readBotConfig} */
export function readRunsServiceConfig(environment: Environment) {
  const { data, problems } = check(runsServiceVariables, settingsOf(environment));
  if (!data) throw new ExplainedError(explain(problems));
  return runsServiceConfigOf(data);
}

function runsServiceConfigOf(data: z.infer<typeof runsServiceVariables>) {
  return {
    port: data.RUNS_SERVICE_PORT,
    host: data.RUNS_SERVICE_HOST,
    publicUrl: data.RUNS_SERVICE_PUBLIC_URL?.replace(/\/$/, ''),
    /** Folders to search for git and agents. */
    path: data.PATH,
    keys: data.RUNS_SERVICE_KEYS,
    environmentsFile: data.RUNS_SERVICE_ENVIRONMENTS,
    concurrency: data.RUNS_SERVICE_CONCURRENCY,
    sessionLinkDays: data.SESSION_LINK_DAYS,
    sessionPageLogin: data.SESSION_PAGE_LOGIN === 'true',
    databaseUrl: data.DATABASE_URL,
    dataDir: data.DATA_DIR,
    logLevel: data.LOG_LEVEL,
  };
}

export type RunsServiceConfig = ReturnType<typeof runsServiceConfigOf>;

/** For commands that need only the database. */
export function readDatabaseUrl(environment: Environment): string {
  const { data, problems } = check(z.object(shared), settingsOf(environment));
  if (!data) throw new ExplainedError(explain(problems));
  return data.DATABASE_URL;
}

const demoVariables = z.object({
  PORT: port.default(4700),
  RUNS_SERVICE_PORT: port.default(4701),
  DATA_DIR: z.string().min(1).default('./data/demo'),
  LOG_LEVEL: shared.LOG_LEVEL.default('warn'),
});

/** All settings of the demo are optional. */
export function readDemoConfig(environment: Environment) {
  const { data, problems } = check(demoVariables, settingsOf(environment));
  if (!data) throw new ExplainedError(explain(problems));
  return {
    port: data.PORT,
    runsServicePort: data.RUNS_SERVICE_PORT,
    dataDir: data.DATA_DIR,
    logLevel: data.LOG_LEVEL,
  };
}

/**
 * The environment of the process, plus variables from `.env` in the working directory. Those don't become part of
 * `process.env`, so no child process inherits them.
 */
export function processEnvironment(): Environment {
  const file = existsSync('.env') ? parseEnv(readFileSync('.env', 'utf8')) : {};
  return { ...file, ...process.env };
}

function check<T extends z.ZodObject>(
  schema: T,
  values: Environment,
): { data: z.infer<T> | undefined; problems: string[] } {
  const result = schema.safeParse(values);
  if (result.success) return { data: result.data, problems: [] };
  const problems = result.error.issues.map((issue) => {
    const name = String(issue.path[0]) as Variable;
    return values[name] === undefined
      ? missing(name)
      : `  ${name} ${issue.message}. ${variables[name]}`;
  });
  return { data: undefined, problems: [...new Set(problems)] };
}

const missing = (name: Variable) => `  ${name} is missing. ${variables[name]}`;

function explain(problems: string[]): string {
  return [
    'Some settings are missing or wrong:',
    ...problems,
    'Set them in the environment or in a file named .env (see .env.example).',
    'To try slash-agent without any settings, run: npm run demo',
  ].join('\n');
}

/** Blank values count as missing. */
function settingsOf(environment: Environment): Environment {
  const given = Object.entries(environment).filter(([, value]) => value?.trim());
  return withSecretFiles(Object.fromEntries(given), secrets);
}

const withSlash = (url: string) => (url.endsWith('/') ? url : `${url}/`);
