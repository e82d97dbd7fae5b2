import { processEnvironment } from './config/environment.ts';
import { readDatabaseConfig } from './config/runs-service-config.ts';
import { ExplainedError } from './lib/explained-error.ts';
import { createLogger } from './lib/logger.ts';
import { runOperatorCommand } from './lib/process/run-operator-command.ts';
import { openEncryption } from './lib/secrets/encryption-keys.ts';
import { withDatabase } from './store/database/database.ts';
import { rotate } from './store/encryption/rotate.ts';

/** `npm run keys -- rotate`: after it, only the first key is needed. */
async function rotateKeys(): Promise<void> {
  const { databaseUrl, encryptionKeys } = readDatabaseConfig(processEnvironment());
  const encryption = openEncryption(encryptionKeys, createLogger('silent'));
  const count = await withDatabase(databaseUrl, { encryption }, (db) => rotate(db, encryption));
  process.stdout.write(
    `Encrypted ${count} values again. The first key reads everything: you can remove the second one.\n`,
  );
}

await runOperatorCommand(async () => {
  const [, , command, ...more] = process.argv;
  if (command !== 'rotate' || more.length > 0)
    throw new ExplainedError('Usage: npm run keys -- rotate (see docs/operating.md)');
  await rotateKeys();
});
