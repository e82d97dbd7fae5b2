/**
 * Finds planted bugs: `npm run simulate:planted` applies each patch of `planted/` to a copy of the sources and runs
 * seeds until one finds it. It fails if a bug isn't found. Names choose patches.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { plant, plantedNames } from '../plant.ts';

const patches = 'trials/simulate/planted';
const mostSeeds = 2_000;

const wanted = process.argv.slice(2);

/**
 * Builds the program with the bug.
 * @returns the path of the program
 */
function build(name: string): string {
  const copy = plant(patches, name);
  // The same depth as in `npm run simulate`, because the bot finds its manifest by a relative path.
  const outfile = join(copy, '.tmp/simulate/run.js');
  buildSync({
    entryPoints: [join(copy, 'trials/simulate/run.ts')],
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    outfile,
    tsconfig: join(copy, 'test/tsconfig.json'),
    logLevel: 'error',
  });
  return outfile;
}

function find(name: string): boolean {
  const flags = ['--seeds', String(mostSeeds), '--stop-at-first'];
  const { stdout } = spawnSync(process.execPath, [build(name), ...flags], { encoding: 'utf8' });
  const found = /^seed .*$/m.exec(stdout)?.[0];
  if (found?.includes('"the bots start"')) throw new Error(`${name} can't be tested: ${found}`);
  process.stdout.write(`${name}: ${found ?? `not found in ${mostSeeds} seeds`}\n`);
  return found !== undefined;
}

const missed = plantedNames(patches)
  .filter((name) => wanted.length === 0 || wanted.includes(name))
  .filter((name) => !find(name));
process.exitCode = missed.length === 0 ? 0 : 1;
