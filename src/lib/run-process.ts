import { ExplainedError } from './explained-error.ts';

/** What lives as long as a process: started once, stopped once. */
export type Part = { start(): Promise<void>; stop(): Promise<void> };

const stopDeadlineMs = 10_000;
/** Ctrl-C under npm arrives twice at once, from the terminal and from npm: only a later one means "at once". */
const echoMs = 500;

/**
 * Makes a part, starts it, and stops it on SIGINT or SIGTERM, also while it is still starting. Exit codes: 0 after a
 * clean stop; 1 when starting fails, when stopping takes longer than ten seconds, or at a second signal.
 */
export async function runProcess(create: () => Part): Promise<void> {
  const say = (line: string) => process.stderr.write(`${line}\n`);
  const signalled = firstSignal();
  let trouble = 'Not started';
  try {
    const part = create();
    await Promise.race([part.start(), signalled]);
    trouble = 'Not stopped cleanly';
    await signalled;
    say('\nStopping … (once more to stop at once)');
    const deadline = setTimeout(() => {
      say(`Not stopped after ${stopDeadlineMs / 1000} s; leaving anyway.`);
      process.exit(1);
    }, stopDeadlineMs);
    await part.stop();
    clearTimeout(deadline);
    say('Stopped.');
    // Libraries may still keep a connection that doesn't close.
    process.exit(0);
  } catch (error) {
    say(error instanceof ExplainedError ? error.message : `${trouble}: ${describe(error)}`);
    process.exit(1);
  }
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const taken = /^listen EADDRINUSE: address already in use (.*)/.exec(error.message)?.[1];
  if (taken) return `${taken} is taken by another program. End that, or set another port (PORT).`;
  const cause = error.cause instanceof Error ? `\ncaused by ${error.cause.message}` : '';
  return `${error.stack ?? error.message}${cause}`;
}

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
