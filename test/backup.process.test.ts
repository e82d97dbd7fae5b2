import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { createEncryption } from '../src/lib/secrets/encryption.ts';
import { openDatabase } from '../src/store/database/database.ts';
import { bundleSlashAgent } from './support/bundle.ts';
import { startProgram, untilExit } from './support/program.ts';
import { temporaryFolder } from './support/runs-service.ts';

it('backup and restore print what they did, and need the key', async () => {
  const key = randomBytes(32);
  const folder = temporaryFolder();
  const [url, file] = [
    `sqlite:${join(folder, 'bot.db')}`,
    join(folder, 'backups/2026-11-23/bot.db'),
  ];
  const db = await openDatabase(url, { encryption: createEncryption(key) });
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
  const refused = await run('restore', restored, randomBytes(32));
  expect(refused).toMatchObject(printed(1, 'another key'));
  expect(refused.output).not.toContain('    at ');
  expect(await run('restore', restored)).toMatchObject(printed(0, 'The key fits'));
});
