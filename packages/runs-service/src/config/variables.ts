import { createSettings } from 'base/config/read-settings';

/** Variables of the service, each with the text that is printed if it's missing or wrong. */
export const serviceVariables = {
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
    'File with the cluster for environments with runner: kubernetes. Default: ~/.kube/config, or the cluster that the service is in.',
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

export const serviceSecrets = [
  'DATABASE_URL',
  'ENCRYPTION_KEY',
  'RUNS_SERVICE_KEYS',
  'ARTIFACTS_URL',
] as const satisfies (keyof typeof serviceVariables)[];

export const serviceSettings = createSettings(serviceVariables, serviceSecrets);
