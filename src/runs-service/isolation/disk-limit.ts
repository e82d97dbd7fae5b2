import { sleep } from '../../lib/sleep.ts';
import { runTool } from './run-tool.ts';
import type { Wall } from './wall.ts';

const checkMs = 3_000;

type DiskLimit = {
  folder: string;
  path: string;
  limitMb: number;
  /** Around `du`, which reads also folders that an agent closed to itself. */
  measuring: Wall;
};

/**
 * Ends commands when their folder is larger than this. Measures it every few seconds behind a wall, so a fast command
 * can exceed the limit for a moment; single files can't, see `limitArguments`.
 */
export function withDiskLimit(wall: Wall, { folder, path, limitMb, measuring }: DiskLimit): Wall {
  async function sizeMb(signal: AbortSignal): Promise<number> {
    const options = { cwd: folder, variables: { PATH: path }, timeoutMs: 60_000, signal };
    const { words } = await runTool(measuring.run, ['du', '-sm', '.'], options);
    return Number(/^(\d+)\s+\.$/m.exec(words)?.[1] ?? 0);
  }

  async function waitUntilFull(signal: AbortSignal): Promise<boolean> {
    while (!signal.aborted) {
      await sleep(checkMs, signal);
      if (!signal.aborted && (await sizeMb(signal)) > limitMb) return true;
    }
    return false;
  }

  return {
    async run(command) {
      const [full, done] = [new AbortController(), new AbortController()];
      let failure: { error: unknown } | undefined;
      const watching = waitUntilFull(done.signal)
        .catch((error: unknown) => {
          // Without a limit, the command doesn't go on.
          failure = { error };
          return true;
        })
        .then((isFull) => isFull && full.abort());
      const signal = AbortSignal.any([command.signal, full.signal]);
      const end = await wall.run({ ...command, signal }).finally(async () => {
        done.abort();
        await watching;
      });
      if (end.how !== 'aborted' || command.signal.aborted) return end;
      if (failure) throw failure.error;
      return { how: 'over-limit', limit: `${limitMb} MB of disk` };
    },
  };
}
