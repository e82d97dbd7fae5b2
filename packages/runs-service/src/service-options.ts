import type { Logger } from 'base/logger';
import type { OnAnswer } from './api/app.ts';
import type { ServiceKey } from './api/keys/keyring.ts';
import type { ArtifactLimits } from './artifacts/left-files.ts';
import type { ArtifactsBucket } from './config/artifacts-url.ts';
import type { EnvironmentSource } from './environments/environments.ts';
import type { GatewayReports } from './gateway/gateway-reports.ts';
import type { NameCreator } from './pages/session/read-session.ts';
import type { SlackSignIn } from './pages/slack-sign-in.ts';
import type { OnRunEnded } from './queue/run-queue.ts';
import type { Db } from './store/schema.ts';

/** Options of the runs service. */
export type RunsServiceOptions = {
  /** Database, which the caller opens and closes. */
  db: Db;
  /** Folder of work folders, mirrors and transcripts. Each service process needs its own. */
  dataDir: string;
  environments: EnvironmentSource;
  keys: readonly ServiceKey[];
  logger: Logger;

  host: string;
  /** Port to listen on. Port 0 selects a free one. */
  port: number;
  /**
   * URL at which browsers reach the service, for links to sessions; by default, the address that the service listens
   * on.
   */
  publicUrl?: string | undefined;
  /** URL at which remote runs reach the service; by default `publicUrl`, or the address that the service listens on. */
  serviceUrl?: string | undefined;
  /** Max requests per minute of one key owner. Further requests get status 429. */
  requestsPerMinute?: number | undefined;

  /** Lets people sign in to session pages with Slack. Without this option, people sign in with API keys only. */
  slackSignIn?: SlackSignIn | undefined;
  /**
   * Returns the name of a person who started a run in Slack, for session pages. Without this function, session pages
   * show the name of the API key's owner.
   */
  nameCreator?: NameCreator | undefined;
  /** Number of days after a run's end in which its link opens the session without signing in; 30 by default. */
  sessionLinkDays?: number | undefined;
  /** True if everyone has to sign in to open a session. */
  sessionPageLogin?: boolean | undefined;
  /** Sentence on the sign-in page that says where people get an API key. */
  keyHint?: string | undefined;

  /** `PATH` in which git and agents are found. */
  path?: string | undefined;
  /** True if agents can run as root when the service does. */
  allowRoot?: boolean | undefined;
  /** User ID of the agents; by default, the user of this process. */
  userId?: number | undefined;
  /**
   * Path of the kubeconfig for environments with `runner: kubernetes`. Several paths are separated as in KUBECONFIG.
   */
  kubeconfig?: string | undefined;

  /** Max active runs of this process; by default, the number of cores. */
  concurrency?: number | undefined;
  outputLimitBytes?: number | undefined;
  patchLimitBytes?: number | undefined;
  artifactLimits?: ArtifactLimits | undefined;
  /** Time between SIGTERM and SIGKILL, in ms. */
  killGraceMs?: number | undefined;
  /** Time that people have to allow more spending, in ms; by default, 15 minutes. */
  spendQuestionMs?: number | undefined;
  /** Time without a report after which a remote run is lost, in ms. */
  silentMs?: number | undefined;

  /** Bucket for the files of runs; by default, the files are in `dataDir`. */
  artifactsBucket?: ArtifactsBucket | undefined;
  /** Days without a change after which ended runs are deleted. By default, no run is deleted. */
  retentionDays?: number | undefined;
  /** Age at which outputs and patches are deleted, in days; 30 by default. */
  transcriptDays?: number | undefined;

  onRunEnded?: OnRunEnded | undefined;
  onAnswer?: OnAnswer | undefined;
  /** Functions that are called for the metrics of model calls. */
  modelReports?: GatewayReports | undefined;
};

const dayMs = 24 * 60 * 60_000;
const defaultTranscriptDays = 30;

/** Returns the age at which outputs, patches and files of runs are deleted, in ms. */
export const transcriptAgeMsOf = ({ transcriptDays }: RunsServiceOptions): number =>
  (transcriptDays ?? defaultTranscriptDays) * dayMs;

/** Returns true if a proxy in front of the service sends the addresses of callers. */
export const isBehindProxy = ({ publicUrl }: Pick<RunsServiceOptions, 'publicUrl'>): boolean =>
  publicUrl?.startsWith('https:') ?? false;
