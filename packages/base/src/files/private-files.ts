import { chmodSync, lstatSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Makes a folder that only this user can open, or restricts an existing one. */
export function makePrivateFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  chmodSync(folder, 0o700);
}

/**
 * Removes other users' access to everything in a folder, down to `depth` folders. Skips links, because they may point
 * elsewhere.
 */
export function restrictToOwner(folder: string, depth: number): void {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    const entry = lstatSync(path);
    if (entry.isFile()) chmodSync(path, 0o600);
    if (!entry.isDirectory()) continue;
    chmodSync(path, 0o700);
    if (depth > 1) restrictToOwner(path, depth - 1);
  }
}
