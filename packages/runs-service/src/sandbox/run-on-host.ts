import { runInGroup } from './process-group.ts';
import type { WalledCommand } from './wall.ts';

/** Runs a command with the service's own rights. Only for files that no agent wrote, such as mirrors. */
export const runOnHost = ({ argv, ...command }: WalledCommand) =>
  runInGroup({ ...command, command: argv });
