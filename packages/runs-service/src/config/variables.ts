import { createSettings } from 'base/config/read-settings';

/** Variables of the service, each with the text that is printed if it's missing or wrong. */
export const serviceVariables = {
  DATABASE_URL:
    'Database for requests and settings: sqlite:<file> or postgres://…. Default: slash-agent.db in DATA_DIR.',
  DATA_DIR:
    'Folder of the SQLite database, a generated key, and the files of the embedded runs service.',
  ENCRYPTION_KEY:
    'Encrypts secrets in the database. Create it with: openssl rand -base64 32. Required for PostgreSQL; with SQLite it is generated into DATA_DIR.',
  METRICS_PORT:
    "Port for /metrics, on the address of HOST or RUNS_SERVICE_HOST. Default: none. It has no key, so don't publish it.",
  RETENTION_DAYS:
    'Days after which ended requests and runs are deleted, with their results. Default: never.',
  LOG_LEVEL: 'trace, debug, info, warn, error or silent.',
  RUNS_SERVICE_PORT: 'Port of the embedded runs service.',
  RUNS_SERVICE_HOST: 'Address of the embedded runs service.',
  RUNS_SERVICE_PUBLIC_URL:
    'Address of session pages in browsers. Default: the address that the runs service listens on.',
  RUNS_SERVICE_URL:
    'Address where remote runs reach the embedded runs service. Default: RUNS_SERVICE_PUBLIC_URL.',
  KUBECONFIG:
    "File with the cluster for environments with runner: kubernetes. Default: ~/.kube/config, or the service's own cluster.",
  RUNS_SERVICE_KEYS:
    'Keys for the embedded runs service: name=key (a person) or service:name=key (a program), separated by commas; at least 32 characters each. Or use "slash-agent runs-service keys add".',
  RUNS_SERVICE_ENVIRONMENTS:
    'YAML or JSON file with the environments of the embedded runs service.',
  ARTIFACTS_URL:
    'S3-compatible store for files of runs: s3://bucket/prefix?region=…&endpoint=…. Default: DATA_DIR.',
  TRANSCRIPT_DAYS: 'Days after which output, changes and files of runs are deleted. Default: 30.',
  SESSION_LINK_DAYS:
    "Days after a run's end until which its session link works without signing in. Default: 30.",
  SESSION_PAGE_LOGIN: '"true" asks everyone to sign in before a session page opens.',
  RUNS_SERVICE_ALLOW_ROOT:
    '"true" lets the embedded runs service start agents as root. A separate user is safer.',
  RUNS_SERVICE_CONCURRENCY:
    'Max runs that one process of the runs service executes at a time. Default: the number of cores.',
} as const;

export const serviceSecrets = [
  'DATABASE_URL',
  'ENCRYPTION_KEY',
  'RUNS_SERVICE_KEYS',
  'ARTIFACTS_URL',
] as const satisfies (keyof typeof serviceVariables)[];

export const serviceSettings = createSettings(serviceVariables, serviceSecrets);
