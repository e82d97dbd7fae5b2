import { existsSync } from 'node:fs';
import { processEnvironment } from 'base/config/environment';
import { readDatabaseConfig } from 'base/config/stored-data';
import { withPresentTables } from 'base/database/database';
import { pathOfSqlite, restore } from 'base/database/sqlite/backup';
import { ExplainedError } from 'base/explained-error';
import { createLogger } from 'base/logger';
import { readOneFile } from 'base/process/read-arguments';
import { openEncryption } from 'base/secrets/encryption-keys';
import { serviceTables } from 'runs-service/store/tables';
import { settings } from '../config/variables.ts';
import { botTables } from '../store/tables.ts';

export const usage = `Usage: slash-agent restore <file>
  Puts a backup in the place of the SQLite database, while the bot is stopped. Overwrites nothing.`;

export async function run(args: readonly string[]): Promise<void> {
  const file = readOneFile(args, usage);
  const { databaseUrl, encryptionKeys } = readDatabaseConfig(settings, processEnvironment());
  if ('file' in encryptionKeys && !existsSync(encryptionKeys.file))
    throw new ExplainedError(
      `There is no key at ${encryptionKeys.file}. Put it back first, or set ENCRYPTION_KEY.`,
    );
  const encryption = openEncryption(encryptionKeys, createLogger('silent'));
  const path = pathOfSqlite(databaseUrl);
  await restore(file, path, (copy) =>
    withPresentTables(
      `sqlite:${copy}`,
      [botTables, serviceTables],
      { encryption },
      async () => undefined,
    ),
  );
  process.stdout.write(`Restored ${path} from ${file}. The key fits. You can start the bot.\n`);
}
