import { existsSync } from 'node:fs';
import type { Tables } from 'base/database/tables';
import { createLogger } from 'base/logger';
import { type EncryptionKeys, openEncryption } from 'base/secrets/encryption-keys';
import type { OldestWaiting } from '../store/backlog.ts';
import { inspectDatabase } from '../store/inspect-database.ts';
import type { Finding } from './problems.ts';

const stuckAfterMs = 10 * 60_000;
const weekMs = 7 * 24 * 60 * 60_000;

type DatabaseCheckDeps = {
  databaseUrl: string;
  /** Tables of the bot and, if it's embedded, of the runs service. */
  tables: readonly Tables[];
  encryptionKeys: EncryptionKeys;
  /** Workspace of the bot token. Undefined without a token, or if Slack didn't answer. */
  teamId: string | undefined;
};

/** Checks the database without changing it. A missing SQLite file is fine, because the first start creates it. */
export async function checkDatabase(deps: DatabaseCheckDeps): Promise<Finding[]> {
  const path = /^sqlite:(.*)/.exec(deps.databaseUrl)?.[1];
  if (path !== undefined && !existsSync(path)) return [];
  const encryption = openEncryption(deps.encryptionKeys, createLogger('silent'));
  const seen = await inspectDatabase(deps.databaseUrl, deps.tables, encryption);
  if ('problem' in seen) return [{ problem: 'database-unreachable', detail: seen.problem }];
  const { missing, unknown } = seen;
  if (missing.length > 0)
    return [{ problem: 'database-outdated', detail: `Missing: ${missing.join(', ')}.` }];
  const findings: Finding[] = [];
  const add = (problem: Finding['problem'], detail: string) => findings.push({ problem, detail });
  if (unknown.length > 0) add('database-newer', `Unknown: ${unknown.join(', ')}.`);
  if (!seen.isReadable)
    return [...findings, { problem: 'key-wrong', detail: "The key doesn't decrypt anything." }];
  const { teamIds, deliveredAt } = seen;
  const { teamId } = deps;
  const hasStarted = teamIds.length > 0;
  if (teamId && teamIds.some((each) => each !== teamId))
    add(
      'other-workspace',
      `The database belongs to ${teamIds.join(', ')}, the token to ${teamId}.`,
    );
  if (hasStarted && (deliveredAt === undefined || isOlderThan(deliveredAt, weekMs)))
    add(
      'no-deliveries',
      deliveredAt
        ? `The last delivery came at ${timeOf(deliveredAt)}.`
        : 'No delivery has arrived yet.',
    );
  return [...findings, ...checkWaiting(seen)];
}

const isOlderThan = (at: number | undefined, ms: number): at is number =>
  at !== undefined && Date.now() - at > ms;

/** Reports posts and inbox items that have waited for too long. */
export function checkWaiting({ postAt, itemAt }: OldestWaiting): Finding[] {
  const findings: Finding[] = [];
  if (isOlderThan(postAt, stuckAfterMs))
    findings.push({ problem: 'outbox-stuck', detail: `Waiting since ${timeOf(postAt)}.` });
  if (isOlderThan(itemAt, stuckAfterMs))
    findings.push({ problem: 'inbox-stuck', detail: `Waiting since ${timeOf(itemAt)}.` });
  return findings;
}

const timeOf = (at: number) => new Date(at).toISOString();
