import type { Environment } from 'base/config/environment';
import { count, domains, flag, hosts, httpUrl, metricsAt, port, shared } from 'base/config/fields';
import { explain } from 'base/config/read-settings';
import { databaseUrlOf, encryptionKeysOf, isKeyMissing } from 'base/config/stored-data';
import { ExplainedError } from 'base/explained-error';
import type { EncryptionKeys } from 'base/secrets/encryption-keys';
import { sendsKeyInClear } from 'runs-client/base-url';
import {
  type RunsServiceConfig,
  runsServiceConfigOf,
  runsServiceVariables,
} from 'runs-service/config/runs-service-config';
import type { ServiceEnvironment } from 'runs-service/environments/environments';
import { z } from 'zod';
import { readAppScopes } from './app-scopes.ts';
import { settings } from './variables.ts';

/**
 * Public URL of the bot. Must use https except on this machine, because Slack redirects browsers to no other address,
 * and webhooks contain what nobody else should read.
 */
const publicUrl = z
  .url({ protocol: /^https?$/, error: 'must be an https URL' })
  .refine((url) => !sendsKeyInClear(url), { error: 'must be an https URL' })
  .transform((url) => url.replace(/\/+$/, ''));

export const botVariables = z.object({
  SLACK_BOT_TOKEN: z
    .string()
    .regex(/^xoxb-./, { error: 'must be a token that starts with xoxb-' })
    .optional(),
  SLACK_CLIENT_ID: z.string().min(1).optional(),
  SLACK_CLIENT_SECRET: z.string().min(16, { error: 'is too short' }).optional(),
  PUBLIC_URL: publicUrl.optional(),
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
  UNFURL_DOMAINS: domains.optional(),
  CONNECTION_HOSTS: hosts.optional(),
  MAX_RUNS_PER_PERSON_PER_DAY: count.optional(),
  MAX_ACTIVE_RUNS: count.optional(),
  AUDIT_URL: httpUrl.optional(),
  AUDIT_DAYS: count.optional(),
  POLICY_FILE: z.string().min(1).optional(),
  RUNS_ON_BEHALF_OF: z.literal('email', { error: 'can only be "email"' }).optional(),
  ...shared,
});

const embeddedBotVariables = botVariables
  .omit({ RUNS_API_URL: true, RUNS_API_KEY: true, RUNS_API_ALLOW_HTTP: true })
  .extend(runsServiceVariables.shape);

/** Mode in which the bot receives Slack's deliveries. */
export type SlackDelivery =
  | { mode: 'socket'; appToken: string }
  | { mode: 'http'; signingSecret: string; port: number; host: string };

export type OAuthConfig = {
  clientId: string;
  clientSecret: string;
  /** Public address without a slash at the end. */
  publicUrl: string;
  /** Slack scopes that the app requests. */
  scopes: readonly string[];
};

export type BotConfig = {
  /** Connection to Slack: one workspace by its bot token, or with `oauth` every workspace that installs the app. */
  slack: {
    botToken?: string | undefined;
    oauth?: OAuthConfig | undefined;
    apiUrl: string;
    delivery: SlackDelivery;
  };
  /** Public address of the bot, without a slash at the end. People paste it into the senders of webhooks. */
  publicUrl?: string | undefined;
  health: { port: number; host: string } | undefined;
  /** Address of `/metrics`, or undefined for none. */
  metrics?: { port: number; host: string } | undefined;
  runsApi: RemoteRuns | EmbeddedRuns;
  /** Private hosts that workspace connections can use. */
  connectionHosts?: readonly string[];
  /** Domains whose links can be run links, subdomains included. */
  unfurlDomains?: readonly string[];
  /** Attributes runs to the person who starts them, by email address. */
  onBehalfOf?: 'email' | undefined;
  /** Limits of starting runs. Undefined means no limit. */
  limits?: { maxRunsPerDay: number | undefined; maxActiveRuns: number | undefined };
  /** Days until ended requests are deleted. Undefined keeps them. */
  retentionDays?: number | undefined;
  /** Days until audit entries are deleted. Undefined keeps them. */
  auditDays?: number | undefined;
  /** Path of a file with rules, which replace the rules that admins set in Slack. */
  policyFile?: string | undefined;
  /** Webhook that receives every entry of the audit log. */
  auditUrl?: string | undefined;
  databaseUrl: string;
  encryptionKeys: EncryptionKeys;
  logLevel: z.infer<typeof shared.LOG_LEVEL>;
};

/**
 * Address and key of a remote runs service. After a lost answer, the service may still create the run for `settleMs`
 * ms.
 */
export type RemoteRuns = {
  baseUrl: string;
  apiKey: string;
  allowHttp?: boolean;
  settleMs?: number;
};
export type EmbeddedRuns = {
  embedded: RunsServiceConfig;
  /** Environments to use instead of the environments file. */
  environments?: readonly ServiceEnvironment[];
  /** Slack app for signing in to session pages. */
  signIn?: { issuer: string; clientId: string; clientSecret: string } | undefined;
};

const defaultHttpPort = 3000;

/**
 * Reads the bot's settings from environment variables.
 * @throws ExplainedError that lists all missing and wrong variables and where to get them
 */
export function readBotConfig(environment: Environment): BotConfig {
  const values = settings.valuesOf(environment);
  const isEmbedded = values['RUNS_SERVICE'] === 'embedded';
  const { data, problems } = settings.check(
    isEmbedded ? embeddedBotVariables : botVariables,
    values,
  );
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
  problems.push(...installProblems(values));
  if (!values['SLACK_APP_TOKEN'] && !values['SLACK_SIGNING_SECRET']) {
    problems.push(
      settings.missing('SLACK_APP_TOKEN'),
      `    or, for HTTP mode, ${settings.missing('SLACK_SIGNING_SECRET').trim()}`,
    );
  }
  if (data && isKeyMissing(data)) problems.push(settings.missing('ENCRYPTION_KEY'));
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
    slack: { ...installOf(data), apiUrl: withSlash(data.SLACK_API_URL), delivery },
    publicUrl: data.PUBLIC_URL,
    health:
      delivery.mode === 'socket' && (data.PORT !== undefined || !data.SLACK_BOT_TOKEN)
        ? http
        : undefined,
    metrics: metricsAt(data, data.HOST),
    runsApi:
      'RUNS_API_URL' in data
        ? {
            baseUrl: data.RUNS_API_URL.replace(/\/$/, ''),
            apiKey: data.RUNS_API_KEY,
            allowHttp: data.RUNS_API_ALLOW_HTTP === 'true',
          }
        : { embedded: runsServiceConfigOf(data), signIn: signInOf(data) },
    auditUrl: data.AUDIT_URL,
    auditDays: data.AUDIT_DAYS,
    policyFile: data.POLICY_FILE,
    unfurlDomains: data.UNFURL_DOMAINS ?? [new URL(sessionsAt).hostname],
    connectionHosts: data.CONNECTION_HOSTS ?? [],
    onBehalfOf: data.RUNS_ON_BEHALF_OF,
    limits: {
      maxRunsPerDay: data.MAX_RUNS_PER_PERSON_PER_DAY,
      maxActiveRuns: data.MAX_ACTIVE_RUNS,
    },
    retentionDays: data.RETENTION_DAYS,
    databaseUrl: databaseUrlOf(data),
    encryptionKeys: encryptionKeysOf(data),
    logLevel: data.LOG_LEVEL,
  };
}

/** Returns problems with the settings for installing the app, which need either a bot token or OAuth. */
function installProblems(values: Environment): string[] {
  const client = ['SLACK_CLIENT_ID', 'SLACK_CLIENT_SECRET'] as const;
  const given = client.filter((name) => values[name]);
  const isOAuth = !values['SLACK_BOT_TOKEN'] && (values['PUBLIC_URL'] || given.length > 0);
  if (isOAuth)
    return [...client, 'PUBLIC_URL' as const].filter((name) => !values[name]).map(settings.missing);
  const isHalf = given.length === 1 && client.filter((name) => !values[name]);
  return [
    ...(values['SLACK_BOT_TOKEN'] ? [] : [settings.missing('SLACK_BOT_TOKEN')]),
    ...(isHalf || []).map(settings.missing),
  ];
}

function installOf(data: z.infer<typeof botVariables> | z.infer<typeof embeddedBotVariables>) {
  const { SLACK_BOT_TOKEN: botToken, PUBLIC_URL: publicUrl = '' } = data;
  if (botToken !== undefined) return { botToken };
  const { SLACK_CLIENT_ID: clientId = '', SLACK_CLIENT_SECRET: clientSecret = '' } = data;
  const { required, optional } = readAppScopes(data.RUNS_ON_BEHALF_OF === 'email');
  const scopes = [...required, ...optional];
  return { oauth: { clientId, clientSecret, publicUrl, scopes } };
}

function signInOf(data: z.infer<typeof embeddedBotVariables>): EmbeddedRuns['signIn'] {
  const { SLACK_CLIENT_ID: clientId, SLACK_CLIENT_SECRET: clientSecret, SLACK_API_URL: api } = data;
  if (clientId === undefined || clientSecret === undefined) return undefined;
  return { issuer: new URL(api).origin, clientId, clientSecret };
}

export const withSlash = (url: string) => (url.endsWith('/') ? url : `${url}/`);
