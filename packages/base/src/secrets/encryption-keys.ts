import { randomBytes, randomUUID } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { ExplainedError } from '../explained-error.ts';
import type { Logger } from '../logger.ts';
import { createEncryption, type Encryption, keyBytes } from './encryption.ts';

/** The current key, and during a rotation a second key for reading. */
type KeyPair = { current: Buffer; other: Buffer | undefined };
/** Encryption keys from the settings, or the path of a file with a generated key. */
export type EncryptionKeys = KeyPair | { file: string };

export const keyRule =
  'must be a key of 32 bytes in base64 or hexadecimal, or two of them, separated by a space or line break';

/** Format of a key: 64 hexadecimal digits, or base64. */
const keyFormat = /^([0-9a-f]{64}|[a-z0-9+/_-]{43}=?)$/i;

/** Parses one or two keys. Returns undefined if the text breaks `keyRule`. */
export function readKeyPair(text: string): KeyPair | undefined {
  const keys = text.trim().split(/[\s,]+/);
  if (keys.length > 2 || !keys.every((key) => keyFormat.test(key))) return undefined;
  const [current, other] = keys.map((key) =>
    Buffer.from(key, key.length === 2 * keyBytes ? 'hex' : 'base64'),
  );
  return current && { current, other };
}

export const generatedKeys = (dataDir: string): EncryptionKeys => ({
  file: join(dataDir, 'encryption.key'),
});

/**
 * Opens the encryption with these keys.
 * @throws ExplainedError if the file can't be read or written, or doesn't contain a key
 */
export function openEncryption(keys: EncryptionKeys, logger: Logger): Encryption {
  const { current, other } = 'file' in keys ? readKeyFile(keys.file, logger) : keys;
  return createEncryption(current, other);
}

function readKeyFile(file: string, logger: Logger): KeyPair {
  try {
    if (!existsSync(file)) generate(file, logger);
    chmodSync(file, 0o600);
    const keys = readKeyPair(readFileSync(file, 'utf8'));
    if (keys) return keys;
  } catch (error) {
    throw new ExplainedError(
      `Can't use the encryption key in ${file}: ${String(error)}. Check DATA_DIR, or set ENCRYPTION_KEY.`,
      { cause: error },
    );
  }
  throw new ExplainedError(`Can't use the encryption key in ${file}: it ${keyRule}.`);
}

/** Generates a key and saves it to a file. The file gets its final name once it's complete and on disk. */
function generate(file: string, logger: Logger): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const key = randomBytes(keyBytes).toString('base64');
  const unfinished = `${file}.${randomUUID()}`;
  try {
    writeFileSync(unfinished, `${key}\n`, { mode: 0o600, flag: 'wx', flush: true });
    linkSync(unfinished, file);
  } catch (error) {
    // Use the key of another process that created the file first.
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return;
    throw error;
  } finally {
    rmSync(unfinished, { force: true });
  }
  logger.info(
    { file },
    "created the key that encrypts secrets in the database; back it up, but not together with the database: without it, they can't be read",
  );
}
