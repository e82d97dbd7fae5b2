import type { Readable } from 'node:stream';
import type { ChildEnd } from './process-group.ts';

export type SandboxedCommand = {
  argv: readonly string[];
  cwd: string;
  /** All variables of the command; it inherits none. */
  variables: Record<string, string>;
  input?: string | Readable;
  onOutput: (chunk: Buffer, stream: 'stdout' | 'stderr') => void;
  timeoutMs: number;
  /** Time between SIGTERM and SIGKILL. */
  graceMs: number;
  signal: AbortSignal;
};

/** The only door to what an agent wrote: nothing else reads, copies or deletes it. */
export type Sandbox = {
  /** Runs a command in the sandbox. When this resolves or rejects, nothing that it started runs. */
  run(command: SandboxedCommand): Promise<ChildEnd>;
  /** Lists the addresses that commands couldn't reach so far. Only sandboxes with a proxy have it. */
  unreached?(): readonly UnreachedAddress[];
};

/** A host with its port, and why nothing was reached there, as the end of a sentence that begins with it. */
export type UnreachedAddress = { address: string; why: string };

export type SandboxTarget = {
  runId: string;
  /** Folder that commands can write to. The service makes it, and agents can't replace it. */
  folder: string;
  /**
   * Path of the folder as commands see it, by default the same. Only for sandboxes that mount it, see `mountsFolder`.
   */
  inside?: string;
  /** Other folders of the service that commands can read. */
  readOnly?: readonly string[];
  /** True for programs of the system, which need no network and write only what the agent left. */
  isOffline?: boolean;
  /** Nothing of an agent runs there anymore, and folders that it closed to itself have to go too. */
  isRemoval?: boolean;
};

export const insideOf = ({ folder, inside = folder }: SandboxTarget): string => inside;
