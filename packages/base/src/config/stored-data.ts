import { join } from 'node:path';
import type { z } from 'zod';
import { type EncryptionKeys, generatedKeys } from '../secrets/encryption-keys.ts';
import type { shared } from './fields.ts';

type Values = Pick<
  z.infer<z.ZodObject<typeof shared>>,
  'ENCRYPTION_KEY' | 'DATABASE_URL' | 'DATA_DIR'
>;

/** Without a URL, everything of an installation is in one folder. */
export const databaseUrlOf = ({
  DATABASE_URL,
  DATA_DIR,
}: Pick<Values, 'DATABASE_URL' | 'DATA_DIR'>): string =>
  DATABASE_URL ?? `sqlite:${join(DATA_DIR, 'slash-agent.db')}`;

/** All processes that share a PostgreSQL need the same key, so none can generate it. */
export const isKeyMissing = ({ ENCRYPTION_KEY, DATABASE_URL }: Values): boolean =>
  ENCRYPTION_KEY === undefined && DATABASE_URL?.startsWith('postgres') === true;

export const encryptionKeysOf = ({ ENCRYPTION_KEY, DATA_DIR }: Values): EncryptionKeys =>
  ENCRYPTION_KEY ?? generatedKeys(DATA_DIR);
