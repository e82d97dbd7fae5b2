import { execFile, execFileSync } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Debian's, if it's not in the PATH. */
const program = process.env['KUBECTL'] ?? 'kubectl';

/** Runs kubectl as someone who may do everything. */
export async function kubectl(kubeconfig: string, ...args: string[]): Promise<string> {
  const { stdout } = await run(program, ['--kubeconfig', kubeconfig, ...args], {
    maxBuffer: 256 * 1024 * 1024,
    env: { HOME: '/nonexistent' },
  });
  return stdout;
}

/** What `kubectl kustomize` makes of a folder. */
export const kustomize = (folder: string): string =>
  execFileSync(program, ['kustomize', folder], { encoding: 'utf8', env: { HOME: '/nonexistent' } });
