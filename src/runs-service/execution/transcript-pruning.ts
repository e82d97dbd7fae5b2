import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from '../../lib/logger.ts';
import { Loop } from '../../lib/loop.ts';

const checkMs = 6 * 60 * 60_000;

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

/** Prunes at the start and every six hours. The runs themselves stay. */
export function createTranscriptPruning(options: {
  folder: string;
  maxAgeMs: number;
  logger: Logger;
}): Loop {
  const { folder, maxAgeMs, logger } = options;
  return new Loop(async () => {
    try {
      const deleted = await pruneTranscripts(folder, maxAgeMs);
      if (deleted > 0) logger.info({ deleted }, 'deleted old transcripts');
    } catch (error) {
      logger.error({ err: error }, 'cannot delete old transcripts');
    }
    return checkMs;
  });
}
