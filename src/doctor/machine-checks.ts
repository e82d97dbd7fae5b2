import { accessSync, constants, existsSync, statfsSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { ExplainedError } from 'base/explained-error';
import type { EncryptionKeys } from 'base/secrets/encryption-keys';
import { readPolicyFile } from '../policy/policy-file.ts';
import type { Finding } from './faults.ts';

const oldestNode = [20, 19];
const leastFreeBytes = 1e9;

export function checkNode(version: string): Finding[] {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [oldestMajor = 0, oldestMinor = 0] = oldestNode;
  const isOld = major < oldestMajor || (major === oldestMajor && minor < oldestMinor);
  return isOld ? [{ fault: 'node-too-old', detail: `This is Node ${version}.` }] : [];
}

export function checkEnvFile(file: string): Finding[] {
  if (!existsSync(file) || (statSync(file).mode & 0o077) === 0) return [];
  return [{ fault: 'env-file-open', detail: `${resolve(file)} has tokens and keys.` }];
}

/** The folder itself, or the one that it will be made in. */
export function checkFolder(folder: string): Finding[] {
  let existing = resolve(folder);
  while (!existsSync(existing)) existing = dirname(existing);
  try {
    accessSync(existing, constants.W_OK | constants.X_OK);
    if (!statSync(existing).isDirectory()) throw new Error(`${existing} isn't a folder`);
  } catch (error) {
    return [{ fault: 'folder-not-writable', detail: String(error) }];
  }
  return checkSpace(existing, statfsSync(existing));
}

export function checkSpace(
  folder: string,
  { bavail, bsize }: { bavail: number; bsize: number },
): Finding[] {
  const free = bavail * bsize;
  if (free >= leastFreeBytes) return [];
  const detail = `${folder} has ${Math.round(free / 1e6)} MB left.`;
  return [{ fault: 'disk-nearly-full', detail }];
}

/** Rules of an older version count while a bot runs; a start fails. */
export function checkPolicyFile(file: string | undefined): Finding[] {
  if (file === undefined) return [];
  try {
    readPolicyFile(file);
    return [];
  } catch (error) {
    if (!(error instanceof ExplainedError)) throw error;
    return [{ fault: 'policy-file-wrong', detail: error.message }];
  }
}

/** @param path of the database; undefined for PostgreSQL */
export function checkKeyFile(keys: EncryptionKeys, path: string | undefined): Finding[] {
  if (!('file' in keys) || existsSync(keys.file)) return [];
  if (path === undefined || !existsSync(path)) return [];
  return [{ fault: 'key-missing', detail: `${keys.file} doesn't exist, but ${path} does.` }];
}
