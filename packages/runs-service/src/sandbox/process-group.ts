import { type ChildProcess, spawn } from 'node:child_process';
import { Readable, Writable } from 'node:stream';
import { sleep } from 'base/sleep';

type ChildRequest = {
  command: readonly string[];
  cwd: string;
  /** All environment variables of the process. It inherits no others. */
  variables: Record<string, string>;
  input?: string | Readable;
  /**
   * System call filter that `bwrap` reads from descriptor 4. `bwrap` writes the ID of the first process in its PID
   * namespace to descriptor 3.
   */
  systemCallFilter?: Buffer;
  onOutput: (chunk: Buffer, stream: 'stdout' | 'stderr') => void;
  timeoutMs: number;
  /** Time between SIGTERM and SIGKILL, in ms. */
  graceMs: number;
  signal: AbortSignal;
};

export type ChildEnd =
  | { how: 'exited'; code: number }
  | { how: 'killed'; signal: string }
  | { how: 'timed-out' }
  | { how: 'aborted' }
  | { how: 'over-limit'; limit: string }
  | { how: 'not-started'; reason: string };

function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch {
    // Ignore the error, because the group has already ended.
  }
}

/**
 * Runs a command in its own process group. After `timeoutMs`, or when `signal` aborts, the group gets SIGTERM, and
 * SIGKILL after `graceMs`. When this resolves or rejects, no process of the group runs, not even in the background. The
 * input is closed then.
 * @throws what `onOutput` throws, after the group has ended
 */
export async function runInGroup(request: ChildRequest): Promise<ChildEnd> {
  try {
    return await runChild(request);
  } finally {
    // Close the input, because a command that ends without reading it would leave the input's file open.
    if (request.input instanceof Readable) request.input.destroy();
  }
}

async function runChild(request: ChildRequest): Promise<ChildEnd> {
  if (request.signal.aborted) return { how: 'aborted' };
  const [program = '', ...args] = request.command;
  let child: ChildProcess;
  try {
    child = spawn(program, args, {
      cwd: request.cwd,
      env: request.variables,
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe', ...(request.systemCallFilter ? namespacePipes : [])],
    });
  } catch (error) {
    // Return the system errors that Node throws, such as E2BIG. Node reports other errors, such as ENOENT, as
    // events.
    if (!isSystemError(error)) throw error;
    return { how: 'not-started', reason: error.code };
  }
  const exit = whenExited(child);
  const { pid } = child;
  if (pid === undefined) return exit;
  const failing = new AbortController();
  const read = (stream: 'stdout' | 'stderr') => (chunk: Buffer) => {
    if (failing.signal.aborted) return;
    try {
      request.onOutput(chunk, stream);
    } catch (error) {
      // Keep the error for later, because an exception in a listener would end the service.
      failing.abort(error);
    }
  };
  child.stdout?.on('data', read('stdout'));
  child.stderr?.on('data', read('stderr'));
  const initOf = readInit(child.stdio[3]);
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
  if (child.stdin) pipeInput(request.input, child.stdin);
  const filterPipe = child.stdio[4];
  if (filterPipe instanceof Writable) pipeInput(request.systemCallFilter, filterPipe);

  const ending = AbortSignal.any([request.signal, failing.signal]);
  const early = await firstWithin(exit, request.timeoutMs, ending);
  if (early === undefined) await terminate(() => initOf() ?? pid, exit, request.graceMs);
  const end = await exit;
  signalGroup(pid, 'SIGKILL');
  await firstWithin(closed, closeWaitMs);
  for (const stream of child.stdio) stream?.destroy();
  failing.signal.throwIfAborted();
  if (early !== undefined) return end;
  return { how: request.signal.aborted ? 'aborted' : 'timed-out' };
}

const namespacePipes = ['pipe', 'pipe'] as const;

const isSystemError = (error: unknown): error is Error & { code: string } =>
  error instanceof Error && 'syscall' in error && 'code' in error && typeof error.code === 'string';

/** Max wait for a process that left the group and holds the pipes open, in ms. */
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

/** Returns the result of `promise`, or undefined after `ms` or when `signal` aborts. Leaves no timer running. */
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

async function terminate(
  group: () => number,
  exit: Promise<ChildEnd>,
  graceMs: number,
): Promise<void> {
  signalGroup(group(), 'SIGTERM');
  await firstWithin(exit, graceMs);
  signalGroup(group(), 'SIGKILL');
}

/** Sends input to a process. Ignores errors, because a command can end without reading its input. */
function pipeInput(input: string | Buffer | Readable | undefined, stdin: Writable): void {
  stdin.on('error', () => undefined);
  if (!(input instanceof Readable)) stdin.end(input ?? '');
  else input.on('error', () => stdin.end()).pipe(stdin);
}

/**
 * Reads the ID that a namespace's first process has on the host. That process leads its own group, so a signal reaches
 * the command without ending the program that made the namespace.
 */
function readInit(report: ChildProcess['stdio'][3]): () => number | undefined {
  let text = '';
  report?.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  return () => {
    const found = /"child-pid": (\d+)/.exec(text)?.[1];
    return found === undefined ? undefined : Number(found);
  };
}
