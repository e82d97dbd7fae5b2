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
  /** From SIGTERM to SIGKILL. */
  graceMs: number;
  signal: AbortSignal;
};

/** The only door to what an agent wrote: nothing else reads, copies or deletes it. */
export type Sandbox = {
  /** Runs a command behind the wall. When this resolves or rejects, nothing that it started runs. */
  run(command: SandboxedCommand): Promise<ChildEnd>;
  /** What commands couldn't reach so far. Only for sandboxes with a proxy. */
  unreached?(): readonly Unreached[];
};

/** A host with its port, and why nothing was reached there, as the end of a sentence that begins with it. */
export type Unreached = { address: string; why: string };

export type SandboxPlace = {
  runId: string;
  /** What commands can write to. The service makes it, and agents can't replace it. */
  folder: string;
  /** Where commands see it; by default at the same path. Only for sandboxes that mount it, see `mountsFolder`. */
  inside?: string;
  /** Other folders of the service that commands can read. */
  readOnly?: readonly string[];
  /** For programs of the system, which need no network and write what the agent left. */
  isOffline?: boolean;
  /** Nothing of an agent runs there anymore, and folders that it closed to itself have to go too. */
  isRemoval?: boolean;
};

export const insideOf = ({ folder, inside = folder }: SandboxPlace): string => inside;
