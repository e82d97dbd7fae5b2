import type { Readable } from 'node:stream';
import type { ChildEnd } from './process-group.ts';

export type SandboxedCommand = {
  argv: readonly string[];
  cwd: string;
  /** All environment variables of the command. It inherits no others. */
  variables: Record<string, string>;
  input?: string | Readable;
  onOutput: (chunk: Buffer, stream: 'stdout' | 'stderr') => void;
  timeoutMs: number;
  /** Time between SIGTERM and SIGKILL, in ms. */
  graceMs: number;
  signal: AbortSignal;
};

/** Sandbox in which commands run. Nothing else reads, copies or deletes files that an agent wrote. */
export type Sandbox = {
  /** Runs a command in the sandbox. When this resolves or rejects, no process that the command started is running. */
  run(command: SandboxedCommand): Promise<ChildEnd>;
  /** Lists the addresses that commands couldn't reach so far. Only sandboxes with a proxy have this function. */
  unreached?(): readonly UnreachedAddress[];
};

/** Address and port that commands couldn't reach. `why` is the end of a sentence that starts with the address. */
export type UnreachedAddress = { address: string; why: string };

export type SandboxTarget = {
  runId: string;
  /** Folder that commands can write to. The service creates the folder, and agents can't replace it. */
  folder: string;
  /**
   * Path at which commands see `folder`; by default, the same path. A different path requires a sandbox that mounts the
   * folder, see `mountsFolder`.
   */
  inside?: string;
  /** Other folders of the service that commands can read. */
  readOnly?: readonly string[];
  /** Folder with the socket of the model gateway, if the run has one. */
  modelsFolder?: string | undefined;
  /** True for system programs, which need no network and change only the agent's files. */
  isOffline?: boolean;
  /** True to delete the folder, including folders that the agent closed to itself. No agent runs there anymore. */
  isRemoval?: boolean;
};

export const insideOf = ({ folder, inside = folder }: SandboxTarget): string => inside;
