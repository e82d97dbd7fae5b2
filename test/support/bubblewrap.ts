import { execFileSync } from 'node:child_process';

/** Why tests behind bubblewrap can't run on this machine; undefined if they can. */
export function whyNoBubblewrap(): string | undefined {
  try {
    const namespaces = ['--unshare-user', '--unshare-pid', '--unshare-net', '--ro-bind', '/', '/'];
    execFileSync('bwrap', [...namespaces, '--', '/bin/true'], { stdio: 'pipe' });
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message.split('\n').join(' ') : String(error);
  }
}
