import { processEnvironment } from 'base/config/environment';
import { readDatabaseUrl } from 'base/config/stored-data';
import { withDatabase } from 'base/database/database';
import { ExplainedError } from 'base/explained-error';
import { slackShape } from '../audit/slack-shape.ts';
import { verifyChain } from '../audit/verify-chain.ts';
import { settings } from '../config/variables.ts';
import { type Audit, createAudit } from '../store/audit/audit.ts';
import type { Db } from '../store/schema.ts';
import { botTables } from '../store/tables.ts';

export const usage = `Usage:
  slash-agent audit verify                        check that no entry was changed or taken out
  slash-agent audit export [--since 2026-11-01]   print the entries as JSON lines`;
const pageSize = 500;

/** Prints the result. Returns true if nothing was changed. */
async function verify(audit: Audit): Promise<boolean> {
  const state = await verifyChain(audit);
  if ('brokenAt' in state) {
    process.stdout.write(`The log was changed: at entry ${state.brokenAt}, ${state.problem}.\n`);
    return false;
  }
  const { entries, head, from } = state;
  const waiting = await audit.countUnsealed();
  process.stdout.write(`${entries} entries, none changed. Newest hash: ${head || 'none'}\n`);
  if (from > 1)
    process.stdout.write(`The log begins with entry ${from}; older ones were deleted.\n`);
  if (waiting > 0) process.stdout.write(`${waiting} entries aren't in the chain yet.\n`);
  return true;
}

/** One entry per line. */
async function exportSince(audit: Audit, sinceMs: number): Promise<void> {
  for (let position = 0; ; ) {
    const page = await audit.after(position, pageSize);
    const wanted = page.filter(({ createdAt }) => createdAt >= sinceMs);
    for (const entry of wanted) process.stdout.write(`${JSON.stringify(slackShape(entry))}\n`);
    const last = page.at(-1);
    if (!last) return;
    position = last.position;
  }
}

function readSince(words: readonly string[]): number {
  if (words.length === 0) return 0;
  const [option, day = ''] = words;
  const since = Date.parse(day);
  if (option !== '--since' || words.length !== 2 || Number.isNaN(since))
    throw new ExplainedError(usage);
  return since;
}

export async function run([command, ...words]: readonly string[]): Promise<void> {
  const isVerify = command === 'verify' && words.length === 0;
  if (!isVerify && command !== 'export') throw new ExplainedError(usage);
  const sinceMs = isVerify ? 0 : readSince(words);
  const url = readDatabaseUrl(settings, processEnvironment());
  await withDatabase(url, [botTables], {}, async (db: Db) => {
    const audit = createAudit(db);
    if (!isVerify) await exportSince(audit, sinceMs);
    else if (!(await verify(audit))) process.exitCode = 1;
  });
}
