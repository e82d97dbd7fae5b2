import { dirname } from 'node:path';
import type { Environment } from 'base/config/environment';
import { ExplainedError } from 'base/explained-error';
import { checkEnvironments, checkQuarantine } from 'runs-service/doctor/environment-checks';
import { serviceTables } from 'runs-service/store/tables';
import type { AppScopes } from '../config/app-scopes.ts';
import { type BotConfig, readBotConfig } from '../config/bot-config.ts';
import { botTables } from '../store/tables.ts';
import { checkDatabase } from './database-checks.ts';
import {
  checkEnvFile,
  checkFolder,
  checkKeyFile,
  checkNode,
  checkPolicyFile,
} from './machine-checks.ts';
import type { Finding } from './problems.ts';
import { checkRunsApi } from './runs-api-checks.ts';
import { checkSlack } from './slack-checks.ts';

export type DoctorContext = {
  variables: Environment;
  envFile: string;
  nodeVersion: string;
  /** User ID of the process to check. Default: the user of this process. */
  userId?: number;
  /** Scopes that the manifest requests. */
  scopes: AppScopes;
  /** Time by the clock of this machine, in epoch ms. */
  now: () => number;
};

/** Finds all problems of a bot with these settings. Changes nothing. */
export async function runDiagnostics(context: DoctorContext): Promise<Finding[]> {
  const machine = [...checkNode(context.nodeVersion), ...checkEnvFile(context.envFile)];
  let config: BotConfig;
  try {
    config = readBotConfig(context.variables);
  } catch (error) {
    if (!(error instanceof ExplainedError)) throw error;
    return [...machine, { problem: 'settings-wrong', detail: error.message }];
  }
  const { databaseUrl, encryptionKeys, runsApi } = config;
  const path = databaseFile(databaseUrl);
  const key = checkKeyFile(encryptionKeys, path);
  const slack = await checkSlack({ ...context, slack: config.slack, publicUrl: config.publicUrl });
  const { teamId } = slack;
  return [
    ...machine,
    ...checkFolders(config),
    ...checkPolicyFile(config.policyFile),
    ...key,
    // Skip the database if there's a key problem, because reading the database would generate a new key.
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
      ? await checkEnvironments(runsApi.embedded, context.userId)
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
