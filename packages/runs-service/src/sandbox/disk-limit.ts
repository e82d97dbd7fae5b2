import { sleep } from 'base/sleep';
import { runTool } from './run-tool.ts';
import type { Sandbox } from './sandbox.ts';

const checkMs = 3_000;

type DiskLimit = {
  folder: string;
  path: string;
  limitMb: number;
  /** Sandbox that runs `du`, which also reads folders that an agent closed to itself. */
  measuring: Sandbox;
};

/**
 * Adds a disk limit to a sandbox. Commands are ended when their folder is too large. The folder is measured every few
 * seconds, so a fast command can exceed the limit briefly. A single file can't exceed the limit, see `limitArguments`.
 */
export function withDiskLimit(
  sandbox: Sandbox,
  { folder, path, limitMb, measuring }: DiskLimit,
): Sandbox {
  async function sizeMb(signal: AbortSignal): Promise<number | undefined> {
    const options = { cwd: folder, variables: { PATH: path }, timeoutMs: 60_000, signal };
    const { output } = await runTool(measuring.run, ['du', '-sm', '.'], options);
    const size = /^(\d+)\s+\.$/m.exec(output)?.[1];
    return size === undefined ? undefined : Number(size);
  }

  /**
   * Waits until the folder exceeds the limit, and returns the limit as text. Returns undefined once `signal` aborts.
   */
  async function waitUntilFull(signal: AbortSignal): Promise<string | undefined> {
    const limit = `${limitMb} MB of disk`;
    while (!signal.aborted) {
      await sleep(checkMs, signal);
      if (signal.aborted) break;
      // Measure again after a failure, because files can be deleted during the first measurement.
      const size = (await sizeMb(signal)) ?? (await sizeMb(signal));
      if (signal.aborted) break;
      if (size === undefined) return `${limit}, or so much that it can't be measured`;
      if (size > limitMb) return limit;
    }
    return undefined;
  }

  return {
    async run(command) {
      const [full, done] = [new AbortController(), new AbortController()];
      /** Reason why the command is ended. Set if the folder is too large or can't be measured. */
      let ending: { limit: string } | { error: unknown } | undefined;
      const watching = waitUntilFull(done.signal)
        .then(
          (limit) => limit !== undefined && { limit },
          (error: unknown) => ({ error }),
        )
        .then((found) => {
          if (!found) return;
          ending = found;
          full.abort();
        });
      const signal = AbortSignal.any([command.signal, full.signal]);
      const end = await sandbox.run({ ...command, signal }).finally(async () => {
        done.abort();
        await watching;
      });
      if (!ending || end.how !== 'aborted' || command.signal.aborted) return end;
      if ('error' in ending) throw ending.error;
      return { how: 'over-limit', limit: ending.limit };
    },
    ...(sandbox.unreached && { unreached: sandbox.unreached }),
  };
}
