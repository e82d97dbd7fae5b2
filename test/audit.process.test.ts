import { join } from 'node:path';
import { expect, it } from 'vitest';
import { bundleSlashAgent } from '../packages/base/test/support/bundle.ts';
import { startProgram, untilExit } from '../packages/base/test/support/program.ts';
import { temporaryFolder } from '../packages/runs-service/test/support/runs-service.ts';
import { createAudit } from '../src/store/audit/audit.ts';
import { openTestDatabase } from './support/database/databases.ts';

it('slash-agent audit exports the log as JSON lines', async () => {
  const url = `sqlite:${join(temporaryFolder(), 'bot.db')}`;
  const db = await openTestDatabase(url);
  const audit = createAudit(db);
  const entity = { type: 'run', id: 'r' };
  for (const action of ['run_started', 'run_cancel_requested'])
    await audit.note({ teamId: 'T1', actorId: 'U1', action, entity });
  await db.destroy();
  const environment = { DATABASE_URL: url };
  const run = (...words: string[]) =>
    untilExit(startProgram(bundleSlashAgent(), environment, 'audit', ...words));

  const exported = await run('export', '--since', '2026-01-01');
  const lines = exported.output.trim().split('\n');
  expect(lines.map((line) => JSON.parse(line).action)).toEqual([
    'run_started',
    'run_cancel_requested',
  ]);
  expect((await run('export', '--since', '2999-01-01')).output).toBe('');
  expect(await run('export', '--since', 'soon')).toMatchObject({ code: 1 });
});
