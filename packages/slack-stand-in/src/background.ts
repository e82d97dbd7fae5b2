import { StateFile } from './state-file.ts';
import type { WorkspaceParts } from './workspace-parts.ts';
import { changeWorld } from './world-faults.ts';

/** What goes on beside the requests: pings, faults that take their time, and writing the state file. */
export function createBackground(
  parts: WorkspaceParts,
  file: string | undefined,
  stopped: AbortSignal,
) {
  const { world, changes, faults, socketMode } = parts;
  const stateFile = file === undefined ? undefined : new StateFile({ file, world, changes });
  const underWay = new Set<Promise<void>>();
  faults.whenWorldChanges(async (fault) => {
    const work = changeWorld(parts, fault, stopped);
    underWay.add(work);
    const forget = () => underWay.delete(work);
    work.then(forget, forget);
    // A disconnect has a long grace time: the caller need not wait for its end.
    if (fault.name !== 'disconnect') await work;
  });
  let pings: Promise<void> | undefined;
  return {
    start(): void {
      pings ??= socketMode.run(stopped);
      stateFile?.start();
    },
    /** `stopped` has been aborted before. */
    async stop(): Promise<void> {
      await pings;
      await Promise.allSettled([...underWay]);
      await stateFile?.stop();
    },
  };
}
