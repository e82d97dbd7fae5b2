import { execFile, execFileSync } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Debian's, if it's not in the PATH. */
const program = process.env['KUBECTL'] ?? 'kubectl';

/** Why a program of this machine can't run; undefined if it can. */
export function whyMissing(name: string, probe: string[]): string | undefined {
  try {
    execFileSync(name, probe, { stdio: 'pipe' });
    return undefined;
  } catch (error) {
    return `${name} can't run: ${error instanceof Error ? error.message.split('\n')[0] : error}`;
  }
}

/** Why tests with kubectl can't run on this machine; undefined if they can. */
export const whyNoKubectl = (): string | undefined => whyMissing(program, ['version', '--client']);

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
