import { processEnvironment } from 'base/config/environment';
import { readDatabaseConfig } from 'base/config/stored-data';
import { withPresentTables } from 'base/database/database';
import { rotate } from 'base/encryption/rotate';
import { ExplainedError } from 'base/explained-error';
import { createLogger } from 'base/logger';
import { openEncryption } from 'base/secrets/encryption-keys';
import { serviceTables } from 'runs-service/store/tables';
import { settings } from '../config/variables.ts';
import { botTables } from '../store/tables.ts';

export const usage = `Usage: slash-agent keys rotate
  Encrypts everything with the first of two encryption keys, also while the bot runs. After it, the second isn't needed.`;

export async function run([command, ...more]: readonly string[]): Promise<void> {
  if (command !== 'rotate' || more.length > 0) throw new ExplainedError(usage);
  const { databaseUrl, encryptionKeys } = readDatabaseConfig(settings, processEnvironment());
  const encryption = openEncryption(encryptionKeys, createLogger('silent'));
  const count = await withPresentTables(
    databaseUrl,
    [botTables, serviceTables],
    { encryption },
    (db, present) => rotate(db, present, encryption),
  );
  process.stdout.write(
    `Encrypted ${count} values again. The first key reads everything: you can remove the second one.\n`,
  );
}
