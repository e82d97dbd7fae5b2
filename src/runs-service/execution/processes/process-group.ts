import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { sleep } from '../../../lib/sleep.ts';

export type ChildRequest = {
  command: readonly string[];
  cwd: string;
  /** All variables of the child; it inherits none. */
  variables: Record<string, string>;
  input?: string;
  /** The user to run as; by default the user of this process. */
  identity?: { uid: number; gid: number } | undefined;
  onOutput: (chunk: Buffer, stream: 'stdout' | 'stderr') => void;
  timeoutMs: number;
  /** From SIGTERM to SIGKILL. */
  graceMs: number;
  signal: AbortSignal;
};

export type ChildEnd =
  | { how: 'exited'; code: number }
  | { how: 'killed'; signal: string }
  | { how: 'timed-out' }
  | { how: 'aborted' }
  | { how: 'not-started'; reason: string };

function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch {
    // The group has already ended.
  }
}

/**
 * Runs a command in its own process group. After `timeoutMs`, or when `signal` aborts, the group gets SIGTERM, and
 * SIGKILL after `graceMs`. When this resolves, no process of the group runs, not even in the background.
 */
export async function runInGroup(request: ChildRequest): Promise<ChildEnd> {
  if (request.signal.aborted) return { how: 'aborted' };
  const [program = '', ...args] = request.command;
  let child: ChildProcessWithoutNullStreams;
  try {
    child = spawn(program, args, {
      cwd: request.cwd,
      env: request.variables,
      ...request.identity,
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe'],
    });
  } catch (error) {
    // Node throws some system errors (E2BIG) and emits others (ENOENT).
    if (!isSystemError(error)) throw error;
    return { how: 'not-started', reason: error.code };
  }
  const exit = whenExited(child);
  if (child.pid === undefined) return exit;
  child.stdout.on('data', (chunk: Buffer) => request.onOutput(chunk, 'stdout'));
  child.stderr.on('data', (chunk: Buffer) => request.onOutput(chunk, 'stderr'));
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
  // A command can end without reading its input.
  child.stdin.on('error', () => undefined);
  child.stdin.end(request.input ?? '');

  const early = await firstWithin(exit, request.timeoutMs, request.signal);
  if (early === undefined) await terminate(child.pid, exit, request.graceMs);
  const end = await exit;
  signalGroup(child.pid, 'SIGKILL');
  await firstWithin(closed, closeWaitMs);
  child.stdout.destroy();
  child.stderr.destroy();
  if (early !== undefined) return end;
  return { how: request.signal.aborted ? 'aborted' : 'timed-out' };
}

const isSystemError = (error: unknown): error is Error & { code: string } =>
  error instanceof Error && 'syscall' in error && 'code' in error && typeof error.code === 'string';

/** How long to wait for a process that left the group and holds the pipes open. */
const closeWaitMs = 500;

function whenExited(child: ChildProcess): Promise<ChildEnd> {
  return new Promise((resolve) => {
    child.once('error', (error: NodeJS.ErrnoException) =>
      resolve({ how: 'not-started', reason: error.code ?? error.message }),
    );
    child.once('exit', (code, signal) =>
      resolve(code === null ? { how: 'killed', signal: signal ?? '' } : { how: 'exited', code }),
    );
  });
}

/** The result of `promise`, or undefined after `ms` or when `signal` aborts. Leaves no timer behind. */
async function firstWithin<T>(
  promise: Promise<T>,
  ms: number,
  signal?: AbortSignal,
): Promise<T | undefined> {
  const done = new AbortController();
  const signals = signal ? [signal, done.signal] : [done.signal];
  const limit = sleep(ms, AbortSignal.any(signals)).then(() => undefined);
  const first = await Promise.race([promise, limit]);
  done.abort();
  return first;
}

async function terminate(pid: number, exit: Promise<ChildEnd>, graceMs: number): Promise<void> {
  signalGroup(pid, 'SIGTERM');
  await firstWithin(exit, graceMs);
  signalGroup(pid, 'SIGKILL');
}
