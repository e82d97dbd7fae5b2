import { runInGroup } from './process-group.ts';
import type { KillRunProcesses } from './run-processes.ts';
import type { Sandbox, SandboxedCommand, SandboxTarget } from './sandbox.ts';

/** Runs a command with the service's own rights. Use it only for files that no agent wrote, such as mirrors. */
export const runOnHost = ({ argv, ...command }: SandboxedCommand) =>
  runInGroup({ ...command, command: argv });

/**
 * Creates a `Sandbox` without isolation, where commands have the rights of the service. Processes that left the process
 * group are ended as well, if they can be found.
 */
export const withoutSandbox = (
  { runId }: SandboxTarget,
  killRunProcesses: KillRunProcesses,
): Sandbox => ({
  async run(command) {
    try {
      return await runOnHost(command);
    } finally {
      // Search for remaining processes only if the command has AGENT_RUN_ID, because the search finds processes by
      // this variable.
      if ('AGENT_RUN_ID' in command.variables) await killRunProcesses(runId);
    }
  },
});
