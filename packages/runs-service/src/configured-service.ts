import { ReloadedFile } from 'base/files/reloaded-file';
import type { Logger } from 'base/logger';
import type { Db } from '../../../src/store/schema.ts';
import type { ServiceKey } from './api/keys/keyring.ts';
import { readKeys } from './api/keys/read-keys.ts';
import type { RunsServiceConfig } from './config/runs-service-config.ts';
import { readEnvironments } from './environments/read-environments.ts';
import type { SlackSignIn } from './pages/sign-in/slack-sign-in.ts';
import { createRunsService, type RunsService, type RunsServiceOptions } from './runs-service.ts';

type ConfiguredServiceOptions = {
  /** Opened and closed by the caller. */
  db: Db;
  /** Lets people sign in to session pages with Slack. */
  slackSignIn?: SlackSignIn | undefined;
  /** Added to the keys of the configuration. */
  keys?: readonly ServiceKey[];
  logger: Logger;
} & Pick<RunsServiceOptions, 'onRunEnded' | 'onAnswer'>;

/**
 * The runs service with its operator's configuration. Follows changes of the environments file.
 * @throws ExplainedError when keys or environments are invalid
 */
export function createConfiguredService(
  config: RunsServiceConfig,
  options: ConfiguredServiceOptions,
): Pick<RunsService, 'start' | 'stop' | 'activeRuns' | 'apiUrl'> {
  const { db, keys = [], slackSignIn, onRunEnded, onAnswer, logger } = options;
  const environments = new ReloadedFile({
    file: config.environmentsFile,
    read: readEnvironments,
    what: 'environments',
    describe: (all) => all.map(({ id }) => id),
    logger,
  });
  const service = createRunsService({
    ...config,
    db,
    environments,
    slackSignIn,
    onRunEnded,
    onAnswer,
    logger,
    keys: [...readKeys(config.keys), ...keys],
  });
  return {
    async start() {
      await service.start();
      environments.start();
      logger.info({ apiUrl: service.apiUrl }, 'runs service is ready');
    },
    async stop() {
      await environments.stop();
      await service.stop();
    },
    activeRuns: service.activeRuns,
    get apiUrl() {
      return service.apiUrl;
    },
  };
}
