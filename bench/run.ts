/**
 * `npm run bench -- <name>` bundles `bench/<name>.bench.ts` with esbuild (Node 20 can't run TypeScript) and runs it. A
 * benchmark is a script. It may start itself again, with arguments, as its server and contenders.
 */
import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { build } from 'esbuild';

/** Folder of package.json, in which npm runs scripts. The bundle of this file is in another folder. */
const root = `${process.cwd()}/`;
const names = readdirSync(`${root}bench`)
  .filter((file) => file.endsWith('.bench.ts'))
  .map((file) => file.slice(0, -'.bench.ts'.length));

async function runBench(name: string, rest: string[]): Promise<number> {
  const outfile = `${root}.tmp/bench/${name}.bench.js`;
  await build({
    entryPoints: [`${root}bench/${name}.bench.ts`],
    bundle: true,
    packages: 'external',
    tsconfig: `${root}test/tsconfig.json`,
    absWorkingDir: root,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    outfile,
  });
  const child = spawn(process.execPath, ['--expose-gc', outfile, ...rest], { stdio: 'inherit' });
  // Pass signals on, so that the benchmark can stop its servers.
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => child.kill(signal));
  return new Promise((resolve) => child.once('exit', (code) => resolve(code ?? 1)));
}

const [name, ...rest] = process.argv.slice(2);
if (name === undefined || !names.includes(name)) {
  process.stderr.write(`Which benchmark? npm run bench -- ${names.join(' | ')}\n`);
  process.exitCode = 2;
} else {
  process.exitCode = await runBench(name, rest);
}
