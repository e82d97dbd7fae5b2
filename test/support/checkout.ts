import { execFile, spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll } from 'vitest';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../', import.meta.url));
const ownPackages = ['base', 'demo', 'runs-client', 'runs-service', 'slack-stand-in'];
const copied = [
  ...['bin', 'deploy', 'docs', 'packages', 'src', '.env.example', '.npmrc', 'manifest.yml'],
  ...['package.json', 'package-lock.json', 'tsconfig.json'],
];

/** Copies this repository after `npm ci`, without build results. The copy is deleted after the file's last test. */
export function createCheckout(): string {
  const folder = mkdtempSync(join(tmpdir(), 'slash-agent-checkout-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const isSource = (path: string) =>
    !/\/(dist|node_modules|test)$/.test(path) && !path.endsWith('deploy/secrets');
  for (const name of copied)
    cpSync(join(root, name), join(folder, name), { recursive: true, filter: isSource });
  const installed = join(folder, 'node_modules');
  mkdirSync(installed);
  for (const name of readdirSync(join(root, 'node_modules')))
    if (name !== 'slash-agent' && !ownPackages.includes(name))
      symlinkSync(join(root, 'node_modules', name), join(installed, name));
  for (const name of ownPackages)
    symlinkSync(join(folder, 'packages', name), join(installed, name));
  symlinkSync(folder, join(installed, 'slash-agent'));
  return folder;
}

/** Environment of a new shell. Only the search path is inherited from this process. */
const shellVariables = (folder: string, variables: Record<string, string>) => ({
  PATH: process.env['PATH'] ?? '',
  HOME: join(folder, '..'),
  npm_config_update_notifier: 'false',
  ...variables,
});

/**
 * Runs a command line in `sh`, like a person.
 * @returns its output and its exit code
 */
export async function typeLine(
  folder: string,
  line: string,
  variables: Record<string, string> = {},
): Promise<{ code: number; stdout: string; stderr: string }> {
  const env = shellVariables(folder, variables);
  try {
    return { code: 0, ...(await run('sh', ['-c', line], { cwd: folder, env })) };
  } catch (error) {
    if (!(error instanceof Error && 'stdout' in error && 'stderr' in error && 'code' in error))
      throw error;
    const { code, stdout, stderr } = error;
    return { code: Number(code), stdout: String(stdout), stderr: String(stderr) };
  }
}

/** Starts a command line that runs until it's stopped. It replaces `sh`, so it receives signals itself. */
export const startLine = (folder: string, line: string, variables: Record<string, string> = {}) =>
  spawn('sh', ['-c', `exec ${line}`], { cwd: folder, env: shellVariables(folder, variables) });
