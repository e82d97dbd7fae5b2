import { existsSync } from 'node:fs';
import { processEnvironment } from './config/environment.ts';
import { readDatabaseConfig } from './config/runs-service-config.ts';
import { ExplainedError } from './lib/explained-error.ts';
import { createLogger } from './lib/logger.ts';
import { runOperatorCommand } from './lib/process/run-operator-command.ts';
import { openEncryption } from './lib/secrets/encryption-keys.ts';
import { withDatabase } from './store/database/database.ts';
import { backUp, pathOfSqlite, restore } from './store/sqlite/backup.ts';

const print = (line: string) => process.stdout.write(`${line}\n`);

/** `npm run backup -- FILE`: also while the bot runs. */
async function backUpTo(file: string): Promise<void> {
  const { databaseUrl, encryptionKeys } = readDatabaseConfig(processEnvironment());
  const bytes = backUp(pathOfSqlite(databaseUrl), file);
  const key = 'file' in encryptionKeys ? `the key in ${encryptionKeys.file}` : 'ENCRYPTION_KEY';
  print(`Wrote ${(bytes / 1e6).toFixed(1)} MB to ${file} and checked it.`);
  print(`Keep ${key} too, in another place: without it, the backup is useless.`);
}

/** `npm run restore -- FILE`: while the bot is stopped. */
async function restoreFrom(file: string): Promise<void> {
  const { databaseUrl, encryptionKeys } = readDatabaseConfig(processEnvironment());
  if ('file' in encryptionKeys && !existsSync(encryptionKeys.file))
    throw new ExplainedError(
      `There is no key at ${encryptionKeys.file}. Put it back first, or set ENCRYPTION_KEY.`,
    );
  const encryption = openEncryption(encryptionKeys, createLogger('silent'));
  const path = pathOfSqlite(databaseUrl);
  await restore(file, path, (copy) =>
    withDatabase(`sqlite:${copy}`, { encryption }, async () => undefined),
  );
  print(`Restored ${path} from ${file}. The key fits. You can start the bot.`);
}

const commands: Record<string, (file: string) => Promise<void>> = {
  backup: backUpTo,
  restore: restoreFrom,
};

await runOperatorCommand(async () => {
  const [, , name = '', file, ...more] = process.argv;
  const command = commands[name];
  if (!command || !file || more.length > 0)
    throw new ExplainedError(
      'Usage: npm run backup -- FILE, or npm run restore -- FILE (see docs/operating.md)',
    );
  await command(file);
});
