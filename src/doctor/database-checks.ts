import { existsSync } from 'node:fs';
import type { Tables } from 'base/database/tables';
import { createLogger } from 'base/logger';
import { type EncryptionKeys, openEncryption } from 'base/secrets/encryption-keys';
import type { OldestWaiting } from '../store/backlog.ts';
import { inspectDatabase } from '../store/inspect-database.ts';
import type { Finding } from './faults.ts';

const longMs = 10 * 60_000;
const weekMs = 7 * 24 * 60 * 60_000;

type DatabaseParts = {
  databaseUrl: string;
  /** Tables of the bot, and of the embedded service. */
  tables: readonly Tables[];
  encryptionKeys: EncryptionKeys;
  /** Workspace of the bot token; undefined without one, or before Slack's first answer. */
  teamId: string | undefined;
};

/** Reads only. A database that doesn't exist yet is made at the first start. */
export async function checkDatabase(parts: DatabaseParts): Promise<Finding[]> {
  const path = /^sqlite:(.*)/.exec(parts.databaseUrl)?.[1];
  if (path !== undefined && !existsSync(path)) return [];
  const encryption = openEncryption(parts.encryptionKeys, createLogger('silent'));
  const seen = await inspectDatabase(parts.databaseUrl, parts.tables, encryption);
  if ('problem' in seen) return [{ fault: 'database-away', detail: seen.problem }];
  const { missing, unknown } = seen;
  if (missing.length > 0)
    return [{ fault: 'database-outdated', detail: `Missing: ${missing.join(', ')}.` }];
  const findings: Finding[] = [];
  const add = (fault: Finding['fault'], detail: string) => findings.push({ fault, detail });
  if (unknown.length > 0) add('database-newer', `Unknown: ${unknown.join(', ')}.`);
  if (!seen.isReadable)
    return [...findings, { fault: 'key-wrong', detail: 'The key reads nothing.' }];
  const { teamIds, deliveredAt } = seen;
  const { teamId } = parts;
  const hasStarted = teamIds.length > 0;
  if (teamId && teamIds.some((each) => each !== teamId))
    add('other-workspace', `It belongs to ${teamIds.join(', ')}, the token to ${teamId}.`);
  if (hasStarted && (deliveredAt === undefined || isLong(deliveredAt, weekMs)))
    add(
      'no-deliveries',
      deliveredAt ? `The last one came ${timeOf(deliveredAt)}.` : 'None so far.',
    );
  return [...findings, ...checkWaiting(seen)];
}

const isLong = (at: number | undefined, ms: number): at is number =>
  at !== undefined && Date.now() - at > ms;

/** The oldest post and the oldest item that wait; epoch milliseconds. */
export function checkWaiting({ postAt, itemAt }: OldestWaiting): Finding[] {
  const findings: Finding[] = [];
  if (isLong(postAt, longMs))
    findings.push({ fault: 'outbox-stuck', detail: `It has waited since ${timeOf(postAt)}.` });
  if (isLong(itemAt, longMs))
    findings.push({ fault: 'inbox-stuck', detail: `It arrived ${timeOf(itemAt)}.` });
  return findings;
}

const timeOf = (at: number) => new Date(at).toISOString();
