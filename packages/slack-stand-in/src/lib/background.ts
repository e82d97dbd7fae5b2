import { changeWorld } from '../faults/world-faults.ts';
import type { Workspace } from '../workspace.ts';
import { StateFile } from '../world/state-file.ts';

/** Creates the background work, which belongs to no request: pings, slow faults, and saving the state file. */
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
    // Don't wait for the fault `disconnect`, because closing the connections takes a long time.
    if (fault.name !== 'disconnect') await work;
  });
  let pings: Promise<void> | undefined;
  return {
    start(): void {
      pings ??= socketMode.run(stopped);
      stateFile?.start();
    },
    /** Waits for all work to end. Abort the signal `stopped` before the call, because the pings end only then. */
    async stop(): Promise<void> {
      await pings;
      await Promise.allSettled([...running]);
      await stateFile?.stop();
    },
  };
}
