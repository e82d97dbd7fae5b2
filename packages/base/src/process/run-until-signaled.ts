import { ExplainedError } from '../explained-error.ts';

/** Functions that start and stop something with the process. Each is called once. */
export type Lifecycle = { start(): Promise<void>; stop(): Promise<void> };

const stopDeadlineMs = 10_000;
/**
 * Time in ms within which a second signal is ignored. Under npm, Ctrl-C arrives twice: from the terminal and from npm.
 */
const echoMs = 500;

/**
 * Creates a lifecycle, starts it, and stops it on SIGINT or SIGTERM, even during the start. Exit codes: 0 after a clean
 * stop; 1 if the start fails, if the stop takes longer than ten seconds, or on a second signal.
 */
export async function runUntilSignaled(create: () => Lifecycle): Promise<void> {
  const print = (line: string) => process.stderr.write(`${line}\n`);
  const signaled = firstSignal();
  let problem = "Couldn't start";
  try {
    const part = create();
    await Promise.race([part.start(), signaled]);
    problem = "Couldn't stop cleanly";
    await signaled;
    print('\nStopping … (press Ctrl-C again to stop immediately)');
    const deadline = setTimeout(() => {
      print(`Still stopping after ${stopDeadlineMs / 1000}s. Exiting anyway.`);
      process.exit(1);
    }, stopDeadlineMs);
    await part.stop();
    clearTimeout(deadline);
    print('Stopped.');
    // Exit explicitly, because libraries may keep connections open.
    process.exit(0);
  } catch (error) {
    print(error instanceof ExplainedError ? error.message : `${problem}: ${describe(error)}`);
    process.exit(1);
  }
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const taken = /^listen EADDRINUSE: address already in use (.*)/.exec(error.message)?.[1];
  if (taken) {
    return `Another program is already using ${taken}. Stop it, or set another PORT or METRICS_PORT.`;
  }
  const cause = error.cause instanceof Error ? `\ncaused by ${error.cause.message}` : '';
  return `${error.stack ?? error.message}${cause}`;
}

/** Resolves at SIGINT or SIGTERM. A second signal ends the process. */
export function firstSignal(): Promise<void> {
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
