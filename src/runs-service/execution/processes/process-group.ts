import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { sleep } from '../../../lib/sleep.ts';

export type ChildRequest = {
  command: readonly string[];
  cwd: string;
  /** The whole environment of the child: nothing of this process is inherited. */
  variables: Record<string, string>;
  input?: string;
  /** As whom the command runs; as this process unless given. */
  identity?: { uid: number; gid: number } | undefined;
  onOutput: (chunk: Buffer, stream: 'stdout' | 'stderr') => void;
  onStart?: (pid: number) => void;
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

/** Signals a whole process group. A group that is gone is what the caller wants. */
function signalGroup(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-pid, signal);
  } catch {
    return false;
  }
}

/**
 * Runs a command in its own process group to its end, or ends it: at `timeoutMs`, or when `signal` aborts. SIGTERM
 * comes first, SIGKILL after `graceMs`. When this resolves nothing of the group runs any more, also no process that
 * the command left in the background.
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
    // Node throws some of the system's answers (E2BIG) and emits the others (ENOENT).
    if (!isSystemError(error)) throw error;
    return { how: 'not-started', reason: error.code };
  }
  const exit = whenExited(child);
  if (child.pid === undefined) return exit;
  request.onStart?.(child.pid);
  child.stdout.on('data', (chunk: Buffer) => request.onOutput(chunk, 'stdout'));
  child.stderr.on('data', (chunk: Buffer) => request.onOutput(chunk, 'stderr'));
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
  // A command may end without reading its input; that is its own business.
  child.stdin.on('error', () => undefined);
  child.stdin.end(request.input ?? '');

  const early = await endOrLimit(exit, request);
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

/** A process that left the group may hold the pipes open; the run does not wait for it longer than this. */
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

/** The child's end, or undefined when the time limit or the caller's signal came first. */
async function endOrLimit(
  exit: Promise<ChildEnd>,
  { timeoutMs, signal }: ChildRequest,
): Promise<ChildEnd | undefined> {
  return firstWithin(exit, timeoutMs, signal);
}

/** What `promise` gives, or undefined after `ms` or when `signal` aborts; leaves no timer behind. */
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
