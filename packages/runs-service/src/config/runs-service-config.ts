import type { Environment } from 'base/config/environment';
import { count, flag, httpUrl, metricsAt, port, shared } from 'base/config/fields';
import { assertKey, databaseUrlOf, encryptionKeysOf } from 'base/config/stored-data';
import { z } from 'zod';
import { artifactsUrl } from './artifacts-url.ts';
import { serviceSettings } from './variables.ts';

export const runsServiceVariables = z.object({
  RUNS_SERVICE_PORT: port.default(4800),
  RUNS_SERVICE_HOST: z.string().min(1).default('127.0.0.1'),
  RUNS_SERVICE_PUBLIC_URL: httpUrl.optional(),
  RUNS_SERVICE_URL: httpUrl.optional(),
  KUBECONFIG: z.string().min(1).optional(),
  PATH: z.string().optional(),
  RUNS_SERVICE_KEYS: z.string().default(''),
  RUNS_SERVICE_ENVIRONMENTS: z.string().min(1),
  ARTIFACTS_URL: artifactsUrl.optional(),
  RUNS_SERVICE_ALLOW_ROOT: flag.optional(),
  RUNS_SERVICE_CONCURRENCY: count.optional(),
  SESSION_LINK_DAYS: count.default(30),
  TRANSCRIPT_DAYS: count.default(30),
  SESSION_PAGE_LOGIN: flag.optional(),
  ...shared,
});

/**
 * Reads the configuration of the runs service.
 * @throws ExplainedError that lists all missing and wrong variables
 */
export function readRunsServiceConfig(environment: Environment) {
  const data = serviceSettings.read(runsServiceVariables, environment);
  assertKey(serviceSettings, data);
  return runsServiceConfigOf(data);
}

export function runsServiceConfigOf(data: z.infer<typeof runsServiceVariables>) {
  return {
    port: data.RUNS_SERVICE_PORT,
    host: data.RUNS_SERVICE_HOST,
    /** Host and port of `/metrics`, if the service runs in its own process. */
    metrics: metricsAt(data, data.RUNS_SERVICE_HOST),
    publicUrl: data.RUNS_SERVICE_PUBLIC_URL?.replace(/\/$/, ''),
    /** URL at which remote runs reach the service. */
    serviceUrl: data.RUNS_SERVICE_URL?.replace(/\/$/, ''),
    kubeconfig: data.KUBECONFIG,
    /** Folders to search for git and agents, from `PATH`. */
    path: data.PATH,
    keys: data.RUNS_SERVICE_KEYS,
    environmentsFile: data.RUNS_SERVICE_ENVIRONMENTS,
    artifactsBucket: data.ARTIFACTS_URL,
    allowRoot: data.RUNS_SERVICE_ALLOW_ROOT === 'true',
    concurrency: data.RUNS_SERVICE_CONCURRENCY,
    sessionLinkDays: data.SESSION_LINK_DAYS,
    sessionPageLogin: data.SESSION_PAGE_LOGIN === 'true',
    retentionDays: data.RETENTION_DAYS,
    transcriptDays: data.TRANSCRIPT_DAYS,
    databaseUrl: databaseUrlOf(data),
    encryptionKeys: encryptionKeysOf(data),
    dataDir: data.DATA_DIR,
    logLevel: data.LOG_LEVEL,
  };
}

export type RunsServiceConfig = ReturnType<typeof runsServiceConfigOf>;

/** Reads the configuration of commands that use the whole database and the service's files. */
export function readStoredConfig(environment: Environment) {
  const { ARTIFACTS_URL } = runsServiceVariables.shape;
  const data = serviceSettings.read(z.object({ ...shared, ARTIFACTS_URL }), environment);
  assertKey(serviceSettings, data);
  return {
    databaseUrl: databaseUrlOf(data),
    encryptionKeys: encryptionKeysOf(data),
    dataDir: data.DATA_DIR,
    artifactsBucket: data.ARTIFACTS_URL,
  };
}
