import { processEnvironment } from '../config/environment.ts';
import { readDatabaseConfig } from '../config/runs-service-config.ts';
import { ExplainedError } from '../lib/explained-error.ts';
import { createLogger } from '../lib/logger.ts';
import { openEncryption } from '../lib/secrets/encryption-keys.ts';
import { withDatabase } from '../store/database/database.ts';
import { rotate } from '../store/encryption/rotate.ts';

export const usage = `Usage: slash-agent keys rotate
  Encrypts everything with the first of two encryption keys, also while the bot runs. After it, the second isn't needed.`;

export async function run([command, ...more]: readonly string[]): Promise<void> {
  if (command !== 'rotate' || more.length > 0) throw new ExplainedError(usage);
  const { databaseUrl, encryptionKeys } = readDatabaseConfig(processEnvironment());
  const encryption = openEncryption(encryptionKeys, createLogger('silent'));
  const count = await withDatabase(databaseUrl, { encryption }, (db) => rotate(db, encryption));
  process.stdout.write(
    `Encrypted ${count} values again. The first key reads everything: you can remove the second one.\n`,
  );
}
