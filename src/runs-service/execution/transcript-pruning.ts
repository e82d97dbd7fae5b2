import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** Deletes outputs and patches that haven't changed for `maxAgeMs`. Returns how many. */
export async function pruneTranscripts(folder: string, maxAgeMs: number): Promise<number> {
  let deleted = 0;
  for (const name of await readdir(folder).catch(() => [])) {
    const path = join(folder, name);
    const found = await stat(path).catch(() => undefined);
    if (!found || Date.now() - found.mtimeMs <= maxAgeMs) continue;
    await rm(path, { recursive: true, force: true });
    deleted += 1;
  }
  return deleted;
}
