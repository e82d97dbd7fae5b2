/**
 * `npm run simulate:planted` applies each patch of `planted/` to a copy of the sources and runs seeds until one finds it.
 * It fails if a bug isn't found. With names, only those.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { buildSync } from 'esbuild';

const root = process.cwd();
const patches = join(root, 'trials/simulate/planted');
const copies = join(root, '.tmp/planted');
const mostSeeds = 2_000;

const names = readdirSync(patches).map((file) => file.replace(/\.patch$/, ''));
const wanted = process.argv.slice(2);

/** @returns the program with the bug */
function plant(name: string): string {
  const copy = join(copies, name);
  rmSync(copy, { recursive: true, force: true });
  mkdirSync(copy, { recursive: true });
  for (const folder of ['src', 'trials', 'packages/runs-client/src'])
    cpSync(join(root, folder), join(copy, folder), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  const patch = ['--strip=1', '--input', join(patches, `${name}.patch`)];
  const { status, stdout } = spawnSync('patch', patch, { cwd: copy, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${name} doesn't apply: ${stdout}`);
  const outfile = join(copy, 'simulate.js');
  buildSync({
    entryPoints: [join(copy, 'trials/simulate/run.ts')],
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    outfile,
    alias: { 'runs-client': join(copy, 'packages/runs-client/src') },
    logLevel: 'error',
  });
  return outfile;
}

function find(name: string): boolean {
  const flags = ['--seeds', String(mostSeeds), '--stop-at-first'];
  const { stdout } = spawnSync(process.execPath, [plant(name), ...flags], { encoding: 'utf8' });
  const found = /^seed .*$/m.exec(stdout)?.[0];
  process.stdout.write(`${name}: ${found ?? `not found in ${mostSeeds} seeds`}\n`);
  return found !== undefined;
}

const missed = names
  .filter((name) => wanted.length === 0 || wanted.includes(name))
  .filter((name) => !find(name));
process.exitCode = missed.length === 0 ? 0 : 1;
