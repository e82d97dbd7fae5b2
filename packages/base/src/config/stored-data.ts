import { join } from 'node:path';
import { z } from 'zod';
import { ExplainedError } from '../explained-error.ts';
import { type EncryptionKeys, generatedKeys } from '../secrets/encryption-keys.ts';
import type { Environment } from './environment.ts';
import { shared } from './fields.ts';
import { type createSettings, explain } from './read-settings.ts';

type Settings = ReturnType<typeof createSettings<'ENCRYPTION_KEY'>>;

type Values = Pick<
  z.infer<z.ZodObject<typeof shared>>,
  'ENCRYPTION_KEY' | 'DATABASE_URL' | 'DATA_DIR'
>;

/** Returns the database URL. The default is a SQLite file in the data folder. */
export const databaseUrlOf = ({
  DATABASE_URL,
  DATA_DIR,
}: Pick<Values, 'DATABASE_URL' | 'DATA_DIR'>): string =>
  DATABASE_URL ?? `sqlite:${join(DATA_DIR, 'slash-agent.db')}`;

/** Returns true if the encryption key must be set but isn't. Processes that share a PostgreSQL need the same key. */
export const isKeyMissing = ({ ENCRYPTION_KEY, DATABASE_URL }: Values): boolean =>
  ENCRYPTION_KEY === undefined && DATABASE_URL?.startsWith('postgres') === true;

export const encryptionKeysOf = ({ ENCRYPTION_KEY, DATA_DIR }: Values): EncryptionKeys =>
  ENCRYPTION_KEY ?? generatedKeys(DATA_DIR);

/** Reads the database URL for commands that use no encrypted column. */
export const readDatabaseUrl = (
  settings: Pick<Settings, 'read'>,
  environment: Environment,
): string => databaseUrlOf(settings.read(z.object(shared), environment));

/** Reads the database URL and the encryption keys for commands that use encrypted columns. */
export function readDatabaseConfig(
  settings: Pick<Settings, 'read' | 'missing'>,
  environment: Environment,
) {
  const data = settings.read(z.object(shared), environment);
  assertKey(settings, data);
  return { databaseUrl: databaseUrlOf(data), encryptionKeys: encryptionKeysOf(data) };
}

/**
 * Makes sure that an encryption key is set if one is needed.
 * @throws ExplainedError if processes share a PostgreSQL and the key isn't set
 */
export function assertKey({ missing }: Pick<Settings, 'missing'>, data: Values): void {
  if (isKeyMissing(data)) throw new ExplainedError(explain([missing('ENCRYPTION_KEY')]));
}
