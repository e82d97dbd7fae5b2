import { execFileSync } from 'node:child_process';
import { ExplainedError } from '../../../lib/explained-error.ts';
import { lastLines } from '../output/last-lines.ts';
import { createOutputTail } from '../output/output-tail.ts';
import { runInGroup } from './process-group.ts';

/** The system's numbers of a user and its group. */
export type Identity = { uid: number; gid: number };

/** Who `user` is, a name or `uid:gid`; or why commands cannot run as it. */
export function findIdentity(user: string): Identity | { problem: string } {
  const numbers = /^(\d+):(\d+)$/.exec(user);
  const found = numbers ? { uid: Number(numbers[1]), gid: Number(numbers[2]) } : lookUp(user);
  if (!found) return { problem: `there is no user "${user}" on this machine` };
  if (process.getuid?.() === found.uid || process.getuid?.() === 0) return found;
  return {
    problem: `only root can run commands as the user "${user}"; the runs service is not root`,
  };
}

function lookUp(user: string): Identity | undefined {
  const idOf = (flag: '-u' | '-g') =>
    Number(execFileSync('id', [flag, '--', user], { stdio: ['ignore', 'pipe', 'ignore'] }));
  try {
    return { uid: idOf('-u'), gid: idOf('-g') };
  } catch {
    return undefined;
  }
}

/**
 * Makes folders and all in them somebody's own; what symbolic links in a repository point to is left alone.
 * @throws ExplainedError with the system's words
 */
export async function giveTo(
  { uid, gid }: Identity,
  folders: readonly string[],
  { variables, signal }: { variables: Record<string, string>; signal: AbortSignal },
): Promise<void> {
  const said = createOutputTail(4_096);
  const end = await runInGroup({
    command: ['chown', '-Rh', `${uid}:${gid}`, ...folders],
    variables,
    cwd: '/',
    onOutput: (chunk) => said.push(chunk),
    timeoutMs: 5 * 60_000,
    graceMs: 500,
    signal,
  });
  if (end.how === 'aborted' || (end.how === 'exited' && end.code === 0)) return;
  const words = lastLines(said.text(), { lines: 2, characters: 300 });
  throw new ExplainedError(`The work folder could not be given to the user ${uid}: ${words}`);
}
