import { withSoftTimeout } from '../time/soft-timeout.ts';

/** Problems that keep a part from working, each in a few words. */
export type ReadProblems = () => Promise<readonly string[]>;

/** Probes give up after a few seconds. */
const checkWithinMs = 2_000;
/** Loops ask the store at least every two seconds. */
const idleMs = 60_000;

/** The answer to `GET /readyz`. */
export async function readReadiness(read: ReadProblems): Promise<{ status: number; text: string }> {
  const problems = await read();
  if (problems.length === 0) return { status: 200, text: 'ok\n' };
  return { status: 503, text: `${problems.join('\n')}\n` };
}

/** A problem if the database doesn't answer within two seconds. */
export async function checkDatabase(ping: () => Promise<void>): Promise<string[]> {
  const pinged = ping().then(
    () => true,
    () => false,
  );
  return (await withSoftTimeout(pinged, checkWithinMs)) ? [] : ["the database doesn't answer"];
}

/** A problem if a loop hasn't run for a minute. @param ranAt epoch milliseconds */
export const checkLoop = (what: string, ranAt: number): string[] =>
  Date.now() - ranAt > idleMs ? [`${what} is blocked`] : [];
