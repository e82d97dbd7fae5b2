import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { openDatabase } from 'base/database/database';
import { createEncryption } from 'base/secrets/encryption';
import type { DatabaseSchema } from 'runs-service/store/schema';
import { serviceTables } from 'runs-service/store/tables';
import { expect, it, onTestFinished } from 'vitest';
import { bundleSlashAgent } from '../packages/base/test/support/bundle.ts';
import { startProgram, untilExit } from '../packages/base/test/support/program.ts';
import { temporaryFolder } from '../packages/runs-service/test/support/runs-service.ts';

it('backup and restore print what they did, and need the key', async () => {
  const key = randomBytes(32);
  const folder = temporaryFolder();
  const [url, file] = [
    `sqlite:${join(folder, 'bot.db')}`,
    join(folder, 'backups/2026-11-23/bot.db'),
  ];
  const db = await openDatabase<DatabaseSchema>(url, [serviceTables], {
    encryption: createEncryption(key),
  });
  onTestFinished(() => db.destroy());
  const run = (command: string, databaseUrl: string, its = key) => {
    const environment = { DATABASE_URL: databaseUrl, ENCRYPTION_KEY: its.toString('base64') };
    return untilExit(startProgram(bundleSlashAgent(), environment, command, file));
  };
  const printed = (code: number, words: string) => ({
    code,
    output: expect.stringContaining(words),
  });
  const restored = `sqlite:${join(folder, 'restored.db')}`;
  expect(await run('backup', url)).toMatchObject(printed(0, 'Keep ENCRYPTION_KEY too'));
  const rejected = await run('restore', restored, randomBytes(32));
  expect(rejected).toMatchObject(printed(1, 'another key'));
  expect(rejected.output).not.toContain('    at ');
  expect(await run('restore', restored)).toMatchObject(printed(0, 'The key fits'));
});
