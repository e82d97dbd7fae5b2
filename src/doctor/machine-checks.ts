import { accessSync, constants, existsSync, statfsSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { ExplainedError } from 'base/explained-error';
import type { EncryptionKeys } from 'base/secrets/encryption-keys';
import { readPolicyFile } from '../policy/policy-file.ts';
import type { Finding } from './problems.ts';

const oldestNode = [20, 19];
const minFreeBytes = 1e9;

export function checkNode(version: string): Finding[] {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [oldestMajor = 0, oldestMinor = 0] = oldestNode;
  const isOld = major < oldestMajor || (major === oldestMajor && minor < oldestMinor);
  return isOld ? [{ problem: 'node-too-old', detail: `This is Node ${version}.` }] : [];
}

export function checkEnvFile(file: string): Finding[] {
  if (!existsSync(file) || (statSync(file).mode & 0o077) === 0) return [];
  return [{ problem: 'env-file-open', detail: `${resolve(file)} contains tokens and keys.` }];
}

/** Checks a data folder. If it doesn't exist yet, checks the closest existing parent, where the bot will create it. */
export function checkFolder(folder: string): Finding[] {
  let existing = resolve(folder);
  while (!existsSync(existing)) existing = dirname(existing);
  try {
    accessSync(existing, constants.W_OK | constants.X_OK);
    if (!statSync(existing).isDirectory()) throw new Error(`${existing} isn't a folder`);
  } catch (error) {
    return [{ problem: 'folder-not-writable', detail: String(error) }];
  }
  return checkSpace(existing, statfsSync(existing));
}

export function checkSpace(
  folder: string,
  { bavail, bsize }: { bavail: number; bsize: number },
): Finding[] {
  const free = bavail * bsize;
  if (free >= minFreeBytes) return [];
  const detail = `${folder} has ${Math.round(free / 1e6)} MB left.`;
  return [{ problem: 'disk-nearly-full', detail }];
}

/** Checks the policy file. If it has mistakes, a running bot keeps the last valid rules, and a starting bot fails. */
export function checkPolicyFile(file: string | undefined): Finding[] {
  if (file === undefined) return [];
  try {
    readPolicyFile(file);
    return [];
  } catch (error) {
    if (!(error instanceof ExplainedError)) throw error;
    return [{ problem: 'policy-file-wrong', detail: error.message }];
  }
}

/**
 * Checks the file with the encryption key.
 * @param path SQLite file of the database, or undefined for PostgreSQL
 */
export function checkKeyFile(keys: EncryptionKeys, path: string | undefined): Finding[] {
  if (!('file' in keys) || existsSync(keys.file)) return [];
  if (path === undefined || !existsSync(path)) return [];
  return [{ problem: 'key-missing', detail: `${keys.file} doesn't exist, but ${path} does.` }];
}
