import { dirname } from 'node:path';
import type { Environment } from 'base/config/environment';
import { ExplainedError } from 'base/explained-error';
import { checkEnvironments, checkQuarantine } from 'runs-service/doctor/environment-checks';
import { serviceTables } from 'runs-service/store/tables';
import type { AppScopes } from '../config/app-scopes.ts';
import { type BotConfig, readBotConfig } from '../config/bot-config.ts';
import { botTables } from '../store/tables.ts';
import { checkDatabase } from './database-checks.ts';
import type { Finding } from './faults.ts';
import {
  checkEnvFile,
  checkFolder,
  checkKeyFile,
  checkNode,
  checkPolicyFile,
} from './machine-checks.ts';
import { checkRunsApi } from './runs-api-checks.ts';
import { checkSlack } from './slack-checks.ts';

export type World = {
  variables: Environment;
  envFile: string;
  nodeVersion: string;
  /** By default, the user of this process. */
  userId?: number;
  /** The bot's scopes in the manifest. */
  scopes: AppScopes;
  /** Epoch milliseconds by the clock of this machine. */
  now: () => number;
};

/** Everything that is wrong for a bot with these settings. Changes nothing. */
export async function examine(world: World): Promise<Finding[]> {
  const machine = [...checkNode(world.nodeVersion), ...checkEnvFile(world.envFile)];
  let config: BotConfig;
  try {
    config = readBotConfig(world.variables);
  } catch (error) {
    if (!(error instanceof ExplainedError)) throw error;
    return [...machine, { fault: 'settings-wrong', detail: error.message }];
  }
  const { databaseUrl, encryptionKeys, runsApi } = config;
  const path = databaseFile(databaseUrl);
  const key = checkKeyFile(encryptionKeys, path);
  const slack = await checkSlack({ ...world, slack: config.slack });
  const { teamId } = slack;
  return [
    ...machine,
    ...checkFolders(config),
    ...checkPolicyFile(config.policyFile),
    ...key,
    // Without its file, a key would be generated.
    ...(key.length > 0
      ? []
      : await checkDatabase({
          databaseUrl,
          tables: 'embedded' in runsApi ? [botTables, serviceTables] : [botTables],
          encryptionKeys,
          teamId,
        })),
    ...slack.findings,
    ...('embedded' in runsApi
      ? await checkEnvironments(runsApi.embedded, world.userId)
      : await checkRunsApi(runsApi)),
  ];
}

const databaseFile = (url: string) => /^sqlite:(.*)/.exec(url)?.[1];

export function checkFolders({
  databaseUrl,
  runsApi,
}: Pick<BotConfig, 'databaseUrl' | 'runsApi'>): Finding[] {
  const path = databaseFile(databaseUrl);
  const folders = [
    ...(path === undefined ? [] : [dirname(path)]),
    ...('embedded' in runsApi ? [runsApi.embedded.dataDir] : []),
  ];
  const undeleted = 'embedded' in runsApi ? checkQuarantine(runsApi.embedded.dataDir) : [];
  return [...[...new Set(folders)].flatMap(checkFolder), ...undeleted];
}
