import { changeWorld } from '../faults/world-faults.ts';
import type { Workspace } from '../workspace.ts';
import { StateFile } from '../world/state-file.ts';

/** Work outside of requests: pings, slow faults, and the state file. */
export function createBackground(
  workspace: Workspace,
  file: string | undefined,
  stopped: AbortSignal,
) {
  const { world, changes, faults, socketMode } = workspace;
  const stateFile = file === undefined ? undefined : new StateFile({ file, world, changes });
  const running = new Set<Promise<void>>();
  faults.whenWorldChanges(async (fault) => {
    const work = changeWorld(workspace, fault, stopped);
    running.add(work);
    const forget = () => running.delete(work);
    work.then(forget, forget);
    // The grace time of a disconnect is long, so the caller doesn't wait for it.
    if (fault.name !== 'disconnect') await work;
  });
  let pings: Promise<void> | undefined;
  return {
    start(): void {
      pings ??= socketMode.run(stopped);
      stateFile?.start();
    },
    /** Abort `stopped` first. */
    async stop(): Promise<void> {
      await pings;
      await Promise.allSettled([...running]);
      await stateFile?.stop();
    },
  };
}
