import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';

const root = process.cwd();
export const copies = join(root, '.tmp/planted');

export const plantedNames = (folder: string): string[] =>
  readdirSync(folder).map((file) => file.replace(/\.patch$/, ''));

/**
 * Copies the sources of this repository.
 * @returns the copy's folder
 */
export function copySources(name: string): string {
  const copy = join(copies, name);
  rmSync(copy, { recursive: true, force: true });
  mkdirSync(copy, { recursive: true });
  for (const file of sourceFiles()) cpSync(join(root, file), join(copy, file));
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  return copy;
}

/**
 * Plants the bug in a copy of the sources.
 * @returns the copy's folder
 */
export function plant(folder: string, name: string): string {
  const copy = copySources(name);
  const patch = ['--strip=1', '--input', join(root, folder, `${name}.patch`)];
  const { status, stdout } = spawnSync('patch', patch, { cwd: copy, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${name} doesn't apply: ${stdout}`);
  return copy;
}

/** Lists all files that git doesn't ignore. */
function sourceFiles(): string[] {
  const list = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  const { stdout } = spawnSync('git', list, { encoding: 'utf8', maxBuffer: 64 * 1024 ** 2 });
  return stdout.split('\0').filter((file) => file !== '' && existsSync(file));
}
