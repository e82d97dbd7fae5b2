import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from '../../lib/logger.ts';
import { sleep } from '../../lib/sleep.ts';

const lookMs = 6 * 60 * 60_000;

/** Removes transcripts that nobody has written to for longer than `maxAgeMs`; gives how many. */
export async function pruneTranscripts(folder: string, maxAgeMs: number): Promise<number> {
  let removed = 0;
  for (const name of await readdir(folder).catch(() => [])) {
    const path = join(folder, name);
    const found = await stat(path).catch(() => undefined);
    if (!found || Date.now() - found.mtimeMs <= maxAgeMs) continue;
    await rm(path, { recursive: true, force: true });
    removed += 1;
  }
  return removed;
}

/** Old outputs and patches go, runs stay: at the start, and a few times a day. */
export function createTranscriptPruning(options: {
  folder: string;
  maxAgeMs: number;
  logger: Logger;
}) {
  const stopping = new AbortController();
  let loop: Promise<void> | undefined;

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      const removed = await pruneTranscripts(options.folder, options.maxAgeMs);
      if (removed > 0) options.logger.info({ removed }, 'old transcripts were removed');
      await sleep(lookMs, stopping.signal);
    }
  }

  return {
    start(): void {
      loop ??= run().catch((error: unknown) => {
        options.logger.error({ err: error }, 'old transcripts could not be removed');
      });
    },
    async stop(): Promise<void> {
      stopping.abort();
      await loop;
    },
  };
}
