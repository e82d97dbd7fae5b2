/** What lives as long as a process: started once, stopped once. */
export type Part = { start(): Promise<void>; stop(): Promise<void> };

type Output = { write(line: string): void };

/**
 * Starts a part and stops it on SIGINT or SIGTERM. Sets the exit code: 0 after a clean stop; 1 when starting fails,
 * when stopping takes longer than the deadline, or at a second signal.
 */
export async function runProcess(
  part: Part,
  options: { stopDeadlineMs?: number; output?: Output } = {},
): Promise<void> {
  const { stopDeadlineMs = 10_000, output = process.stderr } = options;
  const signalled = firstSignal();
  await part.start();
  await signalled;
  output.write('\nStopping … (once more to stop at once)\n');
  const deadline = setTimeout(() => {
    output.write(`Not stopped after ${stopDeadlineMs / 1000} s; leaving anyway.\n`);
    process.exit(1);
  }, stopDeadlineMs);
  await part.stop();
  clearTimeout(deadline);
  output.write('Stopped.\n');
}

/** Ctrl-C under npm arrives twice at once, from the terminal and from npm: only a later one means "at once". */
const echoMs = 500;

function firstSignal(): Promise<void> {
  return new Promise((resolve) => {
    let firstAt: number | undefined;
    const seen = () => {
      if (firstAt !== undefined && Date.now() - firstAt > echoMs) process.exit(1);
      firstAt ??= Date.now();
      resolve();
    };
    process.on('SIGINT', seen);
    process.on('SIGTERM', seen);
  });
}
