import { ReloadedFile } from 'base/files/reloaded-file';
import type { Logger } from 'base/logger';
import type { Db } from '../../../src/store/schema.ts';
import type { OnAnswer } from './api/app.ts';
import { readKeys, type ServiceKey } from './api/keys/keyring.ts';
import type { RunsServiceConfig } from './config/runs-service-config.ts';
import { readEnvironments } from './environments/read-environments.ts';
import type { SlackSignIn } from './pages/slack-sign-in.ts';
import type { OnRunEnded } from './queue/run-queue.ts';
import { createRunsService, type RunsService } from './service.ts';

/**
 * The runs service with its operator's configuration. Follows changes of the environments file.
 * @throws ExplainedError when keys or environments are invalid
 */
export function createConfiguredService(
  config: RunsServiceConfig,
  {
    db,
    keys = [],
    slackSignIn,
    onRunEnded,
    onAnswer,
    logger,
  }: {
    /** Opened and closed by the caller. */
    db: Db;
    /** Added to the keys of the configuration. */
    keys?: readonly ServiceKey[];
    /** Lets people sign in to session pages with Slack. */
    slackSignIn?: SlackSignIn | undefined;
    onRunEnded?: OnRunEnded | undefined;
    onAnswer?: OnAnswer | undefined;
    logger: Logger;
  },
): Omit<RunsService, 'url'> {
  const environments = new ReloadedFile({
    file: config.environmentsFile,
    read: readEnvironments,
    what: 'environments',
    describe: (all) => all.map(({ id }) => id),
    logger,
  });
  const service = createRunsService({
    db,
    dataDir: config.dataDir,
    environments,
    keys: [...readKeys(config.keys), ...keys],
    logger,
    host: config.host,
    port: config.port,
    publicUrl: config.publicUrl,
    serviceUrl: config.serviceUrl,
    slackSignIn,
    sessionLinkDays: config.sessionLinkDays,
    sessionPageLogin: config.sessionPageLogin,
    path: config.path,
    allowRoot: config.allowRoot,
    kubeconfig: config.kubeconfig,
    concurrency: config.concurrency,
    artifactsBucket: config.artifactsBucket,
    retentionDays: config.retentionDays,
    transcriptDays: config.transcriptDays,
    onRunEnded,
    onAnswer,
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
