import { processEnvironment } from 'base/config/environment';
import { readDatabaseConfig } from 'base/config/stored-data';
import { backUp, pathOfSqlite } from 'base/database/sqlite/backup';
import { readOneFile } from 'base/process/read-arguments';
import { settings } from '../config/variables.ts';

export const usage = `Usage: slash-agent backup <file>
  Copies the SQLite database to a new file and checks it, also while the bot runs. Makes its folder.`;

export async function run(args: readonly string[]): Promise<void> {
  const file = readOneFile(args, usage);
  const { databaseUrl, encryptionKeys } = readDatabaseConfig(settings, processEnvironment());
  const bytes = backUp(pathOfSqlite(databaseUrl), file);
  const key = 'file' in encryptionKeys ? `the key in ${encryptionKeys.file}` : 'ENCRYPTION_KEY';
  process.stdout.write(
    `Wrote ${(bytes / 1e6).toFixed(1)} MB to ${file} and checked it.\nKeep ${key} too, in another place: without it, the backup is useless.\n`,
  );
}
