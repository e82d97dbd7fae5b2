import { withSoftTimeout } from '../time/soft-timeout.ts';

/** Returns the problems that stop a component from working, each in a few words. */
export type ReadProblems = () => Promise<readonly string[]>;

/** Max time of a check, in ms, because probes give up after a few seconds. */
const checkWithinMs = 2_000;
/** Max time since the last round of a loop, in ms. Loops ask the store at least every two seconds. */
const idleMs = 60_000;

/** Returns the response to `GET /readyz`. */
export async function readReadiness(read: ReadProblems): Promise<{ status: number; text: string }> {
  const problems = await read();
  if (problems.length === 0) return { status: 200, text: 'ok\n' };
  return { status: 503, text: `${problems.join('\n')}\n` };
}

/** Returns a problem if the database doesn't respond within two seconds. */
export async function checkDatabase(ping: () => Promise<void>): Promise<string[]> {
  const pinged = ping().then(
    () => true,
    () => false,
  );
  return (await withSoftTimeout(pinged, checkWithinMs)) ? [] : ["the database doesn't answer"];
}

/**
 * Returns a problem if a loop hasn't run for a minute.
 * @param ranAt time of its last round in epoch ms
 */
export const checkLoop = (what: string, ranAt: number): string[] =>
  Date.now() - ranAt > idleMs ? [`${what} is blocked`] : [];
