import { runOnHost } from './run-on-host.ts';
import type { KillRunProcesses } from './run-processes.ts';
import type { Wall, WallPlace } from './wall.ts';

/** No wall: commands have the rights of the service. Ends processes that left the group, as far as they can be found. */
export const withoutWall = ({ runId }: WallPlace, killRunProcesses: KillRunProcesses): Wall => ({
  async run(command) {
    try {
      return await runOnHost(command);
    } finally {
      // Without the mark, nothing that it left would be found.
      if ('AGENT_RUN_ID' in command.variables) await killRunProcesses(runId);
    }
  },
});
