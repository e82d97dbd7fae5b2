import { execFileSync } from 'node:child_process';
import { ExplainedError } from '../../../lib/explained-error.ts';
import { runTool } from './run-tool.ts';

/** The system's ids of a user and its group. */
export type Identity = { uid: number; gid: number };

/** The ids of `user`, a name or `uid:gid`; or why commands can't run as this user. */
export function findIdentity(user: string): Identity | { problem: string } {
  const ids = /^(\d+):(\d+)$/.exec(user);
  const found = ids ? { uid: Number(ids[1]), gid: Number(ids[2]) } : lookUp(user);
  if (!found) return { problem: `user "${user}" doesn't exist on this machine` };
  if (process.getuid?.() === found.uid || process.getuid?.() === 0) return found;
  return { problem: `the runs service must run as root to run commands as user "${user}"` };
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
 * Makes a user the owner of folders and everything in them. Doesn't follow symbolic links, which a repository can
 * contain.
 * @throws ExplainedError with the system's message
 */
export async function changeOwner(
  { uid, gid }: Identity,
  folders: readonly string[],
  options: { variables: Record<string, string>; signal: AbortSignal },
): Promise<void> {
  const command = ['chown', '-Rh', `${uid}:${gid}`, ...folders];
  const { end, code, words } = await runTool(command, { ...options, timeoutMs: 5 * 60_000 });
  if (end.how === 'aborted' || code === 0) return;
  throw new ExplainedError(`Can't change the owner of the work folder to user ${uid}: ${words}`);
}
