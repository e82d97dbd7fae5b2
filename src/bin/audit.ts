import { processEnvironment } from 'base/config/environment';
import { readDatabaseUrl } from 'base/config/stored-data';
import { withPresentTables } from 'base/database/database';
import { ExplainedError } from 'base/explained-error';
import { slackShape } from '../audit/audit-webhook.ts';
import { settings } from '../config/variables.ts';
import { type Audit, createAudit } from '../store/audit/audit.ts';
import { botTables } from '../store/tables.ts';

export const usage = `Usage:
  slash-agent audit export [--since 2026-11-01]   print the entries as JSON lines`;
const pageSize = 500;

/** Prints the audit entries since a time (epoch ms) as JSON, one per line. */
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
  if (command !== 'export') throw new ExplainedError(usage);
  const sinceMs = readSince(words);
  const url = readDatabaseUrl(settings, processEnvironment());
  await withPresentTables(url, [botTables], {}, async (db, present) => {
    if (present.length === 0)
      throw new ExplainedError(
        'The bot has never used this database, so it has no audit log. Check DATABASE_URL and DATA_DIR.',
      );
    await exportSince(createAudit(db), sinceMs);
  });
}
