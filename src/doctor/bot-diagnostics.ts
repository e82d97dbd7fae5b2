import type { Promised, RunsClient } from 'runs-client';
import type { AppScopes } from '../config/app-scopes.ts';
import type { BotConfig } from '../config/bot-config.ts';
import type { Backlog } from '../store/backlog.ts';
import type { ConnectionKeys } from '../store/connection-keys.ts';
import { checkWaiting } from './database-checks.ts';
import { checkPolicyFile } from './machine-checks.ts';
import { type Finding, problems } from './problems.ts';
import { isNote } from './report.ts';
import { checkFolders } from './run-diagnostics.ts';
import { checkAddedConnection, checkEnvironmentList, type ListedRuns } from './runs-api-checks.ts';
import { checkSlack } from './slack-checks.ts';

type RunningBot = {
  config: Pick<BotConfig, 'slack' | 'publicUrl' | 'databaseUrl' | 'runsApi' | 'policyFile'>;
  /** Scopes that the manifest requests. */
  scopes: AppScopes;
  backlog: Pick<Backlog, 'oldest'>;
  environments: Pick<Promised<RunsClient['environments']>, 'list'>;
  keys: Pick<ConnectionKeys, 'list'>;
  connect(connectionId: string): Promise<ListedRuns>;
  /** Reads the bot token of a workspace. */
  readToken(teamId: string): Promise<string>;
  /** Aborts pending calls to Slack. */
  signal: AbortSignal;
};

/** A problem without its details, which contain the operator's paths and addresses. Safe to show in Slack. */
type ShownProblem = {
  name: string;
  what: string;
  remedy: string;
  named: string[];
  isNote: boolean;
};

/**
 * Creates the checks that a running bot can make for a workspace. Leaves out problems that would keep a bot from
 * starting.
 */
export function createBotDiagnostics({
  config,
  scopes,
  backlog,
  readToken,
  ...others
}: RunningBot) {
  return async (teamId: string): Promise<ShownProblem[]> => {
    const slack = { ...config.slack, botToken: await readToken(teamId) };
    const connections = await others.keys.list(teamId);
    const [oldest, seen, listed, ...added] = await Promise.all([
      backlog.oldest(teamId),
      checkSlack({
        slack,
        publicUrl: config.publicUrl,
        scopes,
        now: Date.now,
        signal: others.signal,
      }),
      checkEnvironmentList(others.environments),
      ...connections.map(({ id, name }) => checkAddedConnection(name, others.connect(id))),
    ]);
    const policy = checkPolicyFile(config.policyFile);
    const local = [...checkFolders(config), ...policy, ...checkWaiting(oldest)];
    return withoutDetails([...local, ...seen.findings, ...listed, ...added.flat()]);
  };
}

/** Merges findings of the same problem, and removes their details. */
export function withoutDetails(findings: readonly Finding[]): ShownProblem[] {
  const names = new Set(findings.map(({ problem }) => problem));
  return [...names].map((name) => {
    const { what, remedy } = problems[name];
    const found = findings.filter(({ problem }) => problem === name);
    const named = found.flatMap((each) => each.named ?? []);
    return { name, what, remedy, named, isNote: isNote({ problem: name }) };
  });
}
