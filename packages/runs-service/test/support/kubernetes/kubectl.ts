import { execFile, execFileSync } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Path of kubectl, if it isn't in `PATH`. */
const program = process.env['KUBECTL'] ?? 'kubectl';

/** Runs kubectl as an administrator. */
export async function kubectl(kubeconfig: string, ...args: string[]): Promise<string> {
  const { stdout } = await run(program, ['--kubeconfig', kubeconfig, ...args], {
    maxBuffer: 256 * 1024 * 1024,
    env: { HOME: '/nonexistent' },
  });
  return stdout;
}

/** Returns the output of `kubectl kustomize` for a folder. */
export const kustomize = (folder: string): string =>
  execFileSync(program, ['kustomize', folder], { encoding: 'utf8', env: { HOME: '/nonexistent' } });
