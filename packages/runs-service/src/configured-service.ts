import { ReloadedFile } from 'base/files/reloaded-file';
import type { Logger } from 'base/logger';
import type { Metrics } from 'base/metrics/metrics';
import { readKeys, type ServiceKey } from './api/keys/keyring.ts';
import type { RunsServiceConfig } from './config/runs-service-config.ts';
import { fixedEnvironments, type ServiceEnvironment } from './environments/environments.ts';
import { readEnvironments } from './environments/read-environments.ts';
import { createServiceMetrics } from './metrics/service-metrics.ts';
import type { NameCreator } from './pages/session/read-session.ts';
import type { SlackSignIn } from './pages/slack-sign-in.ts';
import { countQuarantined } from './sandbox/deletion/trash.ts';
import { createRunsService, type RunsService } from './service.ts';
import type { Db } from './store/schema.ts';
import { createServiceBacklog } from './store/service-backlog.ts';

/**
 * Creates the runs service from the operator's configuration. Reloads the environments file when it changes.
 * @throws ExplainedError when keys or environments are invalid
 */
export function createConfiguredService(
  config: RunsServiceConfig,
  {
    db,
    environments: fixed,
    keys = [],
    slackSignIn,
    nameCreator,
    metrics,
    logger,
  }: {
    /** Database, which the caller opens and closes. */
    db: Db;
    /** Environments to use instead of the environments file. */
    environments?: readonly ServiceEnvironment[] | undefined;
    /** API keys in addition to the configured ones. */
    keys?: readonly ServiceKey[];
    /** Sign-in with Slack for session pages. Undefined if people can't use it. */
    slackSignIn?: SlackSignIn | undefined;
    nameCreator?: NameCreator | undefined;
    metrics: Metrics | undefined;
    logger: Logger;
  },
): Pick<RunsService, 'start' | 'stop' | 'apiUrl'> {
  const file = fixed
    ? undefined
    : new ReloadedFile({
        file: config.environmentsFile,
        read: readEnvironments,
        what: 'environments',
        describe: (all) => all.map(({ id }) => id),
        logger,
      });
  const reports = metrics && createServiceMetrics(metrics);
  const service = createRunsService({
    db,
    dataDir: config.dataDir,
    environments: file ?? fixedEnvironments(fixed ?? []),
    keys: [...readKeys(config.keys), ...keys],
    logger,
    host: config.host,
    port: config.port,
    publicUrl: config.publicUrl,
    serviceUrl: config.serviceUrl,
    slackSignIn,
    nameCreator,
    sessionLinkDays: config.sessionLinkDays,
    sessionPageLogin: config.sessionPageLogin,
    path: config.path,
    allowRoot: config.allowRoot,
    kubeconfig: config.kubeconfig,
    concurrency: config.concurrency,
    artifactsBucket: config.artifactsBucket,
    retentionDays: config.retentionDays,
    transcriptDays: config.transcriptDays,
    onRunEnded: reports?.onRunEnded,
    onAnswer: reports?.onAnswer,
    modelReports: reports,
  });
  return {
    async start() {
      await service.start();
      file?.start();
      reports?.watch({
        runs: createServiceBacklog(db).runs,
        activeRuns: service.activeRuns,
        dataDir: config.dataDir,
        countQuarantined: () => countQuarantined(config.dataDir),
      });
      logger.info({ apiUrl: service.apiUrl }, 'runs service is ready');
    },
    async stop() {
      await file?.stop();
      await service.stop();
    },
    get apiUrl() {
      return service.apiUrl;
    },
  };
}
