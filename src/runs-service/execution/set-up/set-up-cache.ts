import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { lastLines } from '../output/last-lines.ts';
import { createOutputTail } from '../output/output-tail.ts';
import { runInGroup } from '../processes/process-group.ts';

/** What a set-up prepares, in a run's work folder. */
const prepared = ['repo', 'home'];
const maxKept = 10;
const unusedForMs = 14 * 24 * 60 * 60_000;
const copyMs = 10 * 60_000;

export type SetUpPlace = {
  runId: string;
  workDir: string;
  scratchDir: string;
  signal: AbortSignal;
};

/** The name of a set-up: everything that decides what it makes. */
export const setUpKey = (parts: unknown): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('hex');

/**
 * Copies of work folders as set-up commands left them. The ten that were used last are kept, and none that nobody used
 * for two weeks; the others go when a new one is kept.
 */
export function createSetUpCache({ folder, path }: { folder: string; path: string }) {
  const building = new Map<string, Promise<unknown>>();
  const using = new Map<string, number>();

  async function command(argv: string[], { runId, workDir, signal }: SetUpPlace) {
    const said = createOutputTail(4_096);
    const end = await runInGroup({
      command: argv,
      cwd: workDir,
      variables: { PATH: path, LC_ALL: 'C', AGENT_RUN_ID: runId },
      onOutput: (chunk) => said.push(chunk),
      timeoutMs: copyMs,
      graceMs: 500,
      signal,
    });
    const words = lastLines(said.text(), { lines: 2, characters: 300 }) || end.how;
    return { code: end.how === 'exited' ? end.code : undefined, words };
  }

  /** While a copy is read it is not removed. */
  async function inUse<T>(key: string, work: () => Promise<T>): Promise<T> {
    using.set(key, (using.get(key) ?? 0) + 1);
    try {
      return await work();
    } finally {
      const left = (using.get(key) ?? 1) - 1;
      if (left > 0) using.set(key, left);
      else using.delete(key);
    }
  }

  async function prune(): Promise<void> {
    const names = await readdir(folder);
    const found = await Promise.all(
      names.map(async (name) => ({ name, usedAt: (await stat(join(folder, name))).mtimeMs })),
    );
    found.sort((a, b) => b.usedAt - a.usedAt);
    for (const [place, { name, usedAt }] of found.entries()) {
      const isWanted = place < maxKept && Date.now() - usedAt < unusedForMs;
      if (!isWanted && !using.has(name))
        await rm(join(folder, name), { recursive: true, force: true });
    }
  }

  return {
    /** Puts what was kept in place of the checkout; false when there is nothing, or the run is being ended. */
    restore: (key: string, place: SetUpPlace): Promise<boolean> =>
      inUse(key, async () => {
        const { workDir, signal } = place;
        const kept = join(folder, key);
        if (!existsSync(kept)) return false;
        await utimes(kept, new Date(), new Date());
        for (const name of prepared) {
          await rm(join(workDir, name), { recursive: true, force: true });
          const from = join(kept, name);
          const { code, words } = await command(['cp', '-a', from, workDir], place);
          if (signal.aborted) return false;
          if (code !== 0) throw new Error(`A kept set-up could not be copied: ${words}`);
        }
        return true;
      }),

    /** Keeps what the set-up commands made; gives a line for the timeline. */
    keep: (key: string, place: SetUpPlace): Promise<string> =>
      inUse(key, async () => {
        const { runId, scratchDir } = place;
        // The work folder of a run has its id as name. Logs may name it, nothing else reads them.
        const look = ['grep', '-rlIFm1', '--exclude=*.log', '--', runId, ...prepared];
        const naming = await command(look, place);
        if (naming.code === 0)
          return `The set-up was not kept: ${naming.words.split('\n').at(-1)} names the folder of this run`;
        if (naming.code !== 1) return `The set-up was not kept: ${naming.words}`;
        const copy = join(scratchDir, 'set-up');
        await mkdir(copy, { recursive: true });
        const copied = await command(['cp', '-a', ...prepared, copy], place);
        if (copied.code !== 0) {
          await rm(copy, { recursive: true, force: true });
          return `The set-up was not kept: ${copied.words}`;
        }
        await mkdir(folder, { recursive: true, mode: 0o700 });
        await rename(copy, join(folder, key));
        await prune();
        return 'The set-up was kept for later runs';
      }),

    /** One after the other for each key, so that the second finds what the first has kept. */
    inTurn<T>(key: string, work: () => Promise<T>): Promise<T> {
      const turn = (building.get(key) ?? Promise.resolve()).then(work, work);
      const settled = turn
        .catch(() => undefined)
        .then(() => {
          if (building.get(key) === settled) building.delete(key);
        });
      building.set(key, settled);
      return turn;
    },
  };
}
export type SetUpCache = ReturnType<typeof createSetUpCache>;
