import { existsSync } from 'node:fs';
import { processEnvironment } from '../config/environment.ts';
import { readDatabaseConfig } from '../config/runs-service-config.ts';
import { ExplainedError } from '../lib/explained-error.ts';
import { createLogger } from '../lib/logger.ts';
import { readOneFile } from '../lib/process/read-arguments.ts';
import { openEncryption } from '../lib/secrets/encryption-keys.ts';
import { withDatabase } from '../store/database/database.ts';
import { pathOfSqlite, restore } from '../store/sqlite/backup.ts';

export const usage = `Usage: slash-agent restore <file>
  Puts a backup in the place of the SQLite database, while the bot is stopped. Overwrites nothing.`;

export async function run(args: readonly string[]): Promise<void> {
  const file = readOneFile(args, usage);
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
  process.stdout.write(`Restored ${path} from ${file}. The key fits. You can start the bot.\n`);
}
