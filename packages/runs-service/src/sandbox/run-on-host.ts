import { runInGroup } from './process-group.ts';
import type { KillRunProcesses } from './run-processes.ts';
import type { Sandbox, SandboxedCommand, SandboxTarget } from './sandbox.ts';

/** Runs a command with the service's own rights. Only for files that no agent wrote, such as mirrors. */
export const runOnHost = ({ argv, ...command }: SandboxedCommand) =>
  runInGroup({ ...command, command: argv });

/**
 * Creates a `Sandbox` without isolation, whose commands have the rights of the service. Processes that left the group
 * are ended, as far as they can be found.
 */
export const withoutSandbox = (
  { runId }: SandboxTarget,
  killRunProcesses: KillRunProcesses,
): Sandbox => ({
  async run(command) {
    try {
      return await runOnHost(command);
    } finally {
      // Search for remaining processes only if the command has the variable that marks them.
      if ('AGENT_RUN_ID' in command.variables) await killRunProcesses(runId);
    }
  },
});
