import { runInGroup } from './process-group.ts';
import type { KillRunProcesses } from './run-processes.ts';
import type { Sandbox, SandboxedCommand, SandboxTarget } from './sandbox.ts';

/** Runs a command with the service's own rights. Only for files that no agent wrote, such as mirrors. */
export const runOnHost = ({ argv, ...command }: SandboxedCommand) =>
  runInGroup({ ...command, command: argv });

/**
 * Runs commands without a sandbox, with the rights of the service. Ends processes that left the group, as far as they
 * can be found.
 */
export const withoutSandbox = (
  { runId }: SandboxTarget,
  killRunProcesses: KillRunProcesses,
): Sandbox => ({
  async run(command) {
    try {
      return await runOnHost(command);
    } finally {
      // Without the mark, no process of the command could be found.
      if ('AGENT_RUN_ID' in command.variables) await killRunProcesses(runId);
    }
  },
});
