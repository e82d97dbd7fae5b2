import { ReloadedFile } from 'base/files/reloaded-file';
import type { Logger } from 'base/logger';
import type { Metrics } from 'base/metrics/metrics';
import type { ServiceKey } from './api/keys/keyring.ts';
import { readKeys } from './api/keys/read-keys.ts';
import type { RunsServiceConfig } from './config/runs-service-config.ts';
import { fixedEnvironments, type ServiceEnvironment } from './environments/environments.ts';
import { readEnvironments } from './environments/read-environments.ts';
import { createServiceMetrics } from './metrics/service-metrics.ts';
import type { SlackSignIn } from './pages/sign-in/slack-sign-in.ts';
import { createRunsService, type RunsService } from './runs-service.ts';
import { countQuarantined } from './sandbox/deletion/trash.ts';
import type { Db } from './store/schema.ts';
import { createServiceBacklog } from './store/service-backlog.ts';

type ConfiguredServiceOptions = {
  /** Opened and closed by the caller. */
  db: Db;
  /** By default those of the file, which is read again when it changes. */
  environments?: readonly ServiceEnvironment[] | undefined;
  /** Lets people sign in to session pages with Slack. */
  slackSignIn?: SlackSignIn | undefined;
  /** Added to the keys of the configuration. */
  keys?: readonly ServiceKey[];
  metrics: Metrics | undefined;
  logger: Logger;
};

/**
 * Creates the runs service with its operator's configuration. Follows changes of the environments file.
 * @throws ExplainedError when keys or environments are invalid
 */
export function createConfiguredService(
  config: RunsServiceConfig,
  { db, environments: fixed, keys = [], slackSignIn, metrics, logger }: ConfiguredServiceOptions,
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
    ...config,
    db,
    environments: file ?? fixedEnvironments(fixed ?? []),
    slackSignIn,
    onRunEnded: reports?.onRunEnded,
    onAnswer: reports?.onAnswer,
    logger,
    keys: [...readKeys(config.keys), ...keys],
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
