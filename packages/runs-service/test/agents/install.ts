import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const programs = fileURLToPath(new URL('programs/', import.meta.url));
const repository = fileURLToPath(new URL('../../../../', import.meta.url));

/** The tried packages, with their exact versions. */
export const versions = (
  JSON.parse(readFileSync(join(programs, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>;
  }
).dependencies;

/**
 * Installs the pinned agents once into `AGENTS_CACHE`, by default `.tmp/agents`.
 * @returns the folder with `node_modules`, and the reason if they can't be installed
 */
export function installAgents(): { folder: string; problem?: string } {
  const lock = readFileSync(join(programs, 'package-lock.json'));
  const version = createHash('sha256').update(lock).digest('hex').slice(0, 12);
  const cache = resolve(repository, process.env['AGENTS_CACHE'] ?? '.tmp/agents');
  const folder = join(cache, version);
  const done = join(folder, 'installed');
  if (existsSync(done)) return { folder };
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const name of ['package.json', 'package-lock.json'])
    copyFileSync(join(programs, name), join(folder, name));
  try {
    execFileSync('npm', ['install', '--loglevel=error', '--no-audit', '--no-fund'], {
      cwd: folder,
      stdio: 'pipe',
    });
  } catch (error) {
    const said = (error as { stderr?: Buffer }).stderr?.toString().trim() || String(error);
    return { folder, problem: said.split('\n')[0] ?? '' };
  }
  writeFileSync(done, '');
  return { folder };
}
