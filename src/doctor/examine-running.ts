import type { Promised, RunsClient } from 'runs-client';
import type { AppScopes } from '../config/app-scopes.ts';
import type { BotConfig } from '../config/bot-config.ts';
import type { Backlog } from '../store/backlog.ts';
import type { ConnectionKeys } from '../store/connection-keys.ts';
import { checkWaiting } from './database-checks.ts';
import { checkFolders } from './examine.ts';
import { type Finding, faults } from './faults.ts';
import { checkPolicyFile } from './machine-checks.ts';
import { isNote } from './report.ts';
import { checkAddedConnection, checkEnvironmentList, type ListedRuns } from './runs-api-checks.ts';
import { checkSlack } from './slack-checks.ts';

type RunningBot = {
  config: Pick<BotConfig, 'slack' | 'databaseUrl' | 'runsApi' | 'policyFile'>;
  /** Those of the manifest. */
  scopes: AppScopes;
  backlog: Pick<Backlog, 'oldest'>;
  environments: Pick<Promised<RunsClient['environments']>, 'list'>;
  keys: Pick<ConnectionKeys, 'list'>;
  connect(connectionId: string): Promise<ListedRuns>;
  /** The bot token of a workspace. */
  readToken(teamId: string): Promise<string>;
  /** Aborts calls to Slack. */
  signal: AbortSignal;
};

/** One fault, as people in Slack may read it: details name folders and addresses of the operator. */
type TellableFault = {
  name: string;
  what: string;
  remedy: string;
  named: string[];
  isNote: boolean;
};

/** Finds problems of a running bot, for a workspace. Most other problems would have stopped its start. */
export function createExamination({ config, scopes, backlog, readToken, ...others }: RunningBot) {
  return async (teamId: string): Promise<TellableFault[]> => {
    const slack = { ...config.slack, botToken: await readToken(teamId) };
    const connections = await others.keys.list(teamId);
    const [oldest, seen, listed, ...added] = await Promise.all([
      backlog.oldest(teamId),
      checkSlack({ slack, scopes, now: Date.now, signal: others.signal }),
      checkEnvironmentList(others.environments),
      ...connections.map(({ id, name }) => checkAddedConnection(name, others.connect(id))),
    ]);
    const policy = checkPolicyFile(config.policyFile);
    const here = [...checkFolders(config), ...policy, ...checkWaiting(oldest)];
    return tellable([...here, ...seen.findings, ...listed, ...added.flat()]);
  };
}

/** Each fault once. */
function tellable(findings: readonly Finding[]): TellableFault[] {
  const names = new Set(findings.map(({ fault }) => fault));
  return [...names].map((name) => {
    const { what, remedy } = faults[name];
    const found = findings.filter(({ fault }) => fault === name);
    const named = found.flatMap((each) => each.named ?? []);
    return { name, what, remedy, named, isNote: isNote({ fault: name }) };
  });
}
