/**
 * Finds planted faults: `npm run test:planted` applies each patch of `planted/` to a copy of the sources and runs tests
 * until one fails. It fails if no test finds a fault. Names choose faults; `--lane fast` runs only the tests of that
 * lane.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { slowLanes } from '../test/lanes.ts';
import { copies, copySources, plant, plantedNames } from './plant.ts';

const patches = 'trials/planted';

const { positionals: wanted, values } = parseArgs({
  allowPositionals: true,
  options: { lane: { type: 'string' } },
});
const lane = values.lane === undefined ? [] : ['--project', values.lane];

/** Returns vitest arguments that select tests, the most likely ones first. */
function stagesOf(name: string, copy: string): string[][] {
  const patch = readFileSync(join(patches, `${name}.patch`), 'utf8');
  const files = [...patch.matchAll(/^\+\+\+ b\/(.+)$/gm)].map(([, file = '']) => file);
  const [, named] = /^Tests: (.+)$/m.exec(patch) ?? [];
  const places = files.map(placeOf);
  const own = places.flatMap((place) => [place, dirname(place)]).flatMap((each) => at(each, copy));
  const folders = new Set(places.flatMap((place) => foldersOf(place, copy)));
  const related = ['related', ...files, '--run'];
  const far = [[...related, ...slow.map((pattern) => `--exclude=${pattern}`)], related];
  return [
    ...(named === undefined ? [] : [['run', ...named.split(' ')]]),
    ...(own.length > 0 ? [['run', ...own]] : []),
    ...[...folders].map((folder) => ['run', folder]),
    ...far,
  ];
}

/** Patterns of slow tests, which run last. */
const slow = slowLanes.map(({ name }) => `**/*.${name}.test.ts`);

/** Returns the path of a file's tests, without their endings. */
const placeOf = (file: string): string =>
  file.replace(/(^|\/)src\//, '$1test/').replace(/\.tsx?$/, '');

/** Returns the test files with this path, of all lanes. */
function at(place: string, copy: string): string[] {
  const folder = dirname(place);
  if (!existsSync(join(copy, folder))) return [];
  return readdirSync(join(copy, folder))
    .filter((file) => file.startsWith(`${basename(place)}.`) && file.endsWith('.test.ts'))
    .map((file) => `${folder}/${file}`);
}

/** Returns the folders with tests around this path, the nearest first, without folders that are too large. */
function foldersOf(place: string, copy: string): string[] {
  const folder = dirname(place);
  if (!/(^|\/)test\/./.test(folder)) return [];
  const isSmall =
    /(^|\/)test\/[^/]+\/./.test(folder) || !folder.startsWith('packages/runs-service/test');
  const around = foldersOf(folder, copy);
  return existsSync(join(copy, folder)) && isSmall ? [`${folder}/`, ...around] : around;
}

const resultSchema = z.object({
  testResults: z.array(
    z.object({
      name: z.string(),
      status: z.string(),
      assertionResults: z.array(z.object({ status: z.string(), fullName: z.string() })),
    }),
  ),
});

const testTimeoutMs = 60_000;

type Failure = { file: string; test: string };

/**
 * Runs the selected tests in this folder.
 * @returns the first test that fails
 */
function firstFailure(folder: string, selection: readonly string[]): Failure | undefined {
  const outputFile = join(copies, `${process.pid}.json`);
  rmSync(outputFile, { force: true });
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [
      'node_modules/vitest/vitest.mjs',
      ...[...selection, ...lane, '--bail=1', '--passWithNoTests', '--maxWorkers=2'],
      // Limit the time, because some faults make a test wait forever.
      `--testTimeout=${testTimeoutMs}`,
      ...['--config', 'test/vitest.config.ts', '--reporter=json', `--outputFile=${outputFile}`],
    ],
    { cwd: folder, encoding: 'utf8', maxBuffer: 256 * 1024 ** 2 },
  );
  if (status === 0) return undefined;
  if (!existsSync(outputFile)) throw new Error(`vitest didn't run: ${stdout}${stderr}`);
  const { testResults } = resultSchema.parse(JSON.parse(readFileSync(outputFile, 'utf8')));
  const failures = testResults.flatMap(({ name, status: ended, assertionResults }) => {
    const failed = assertionResults.find((each) => each.status === 'failed');
    const test = failed?.fullName ?? 'the whole file';
    return failed || ended === 'failed' ? [{ file: relative(folder, name), test }] : [];
  });
  if (failures[0]) return failures[0];
  throw new Error(`vitest failed outside of tests: ${stdout}${stderr}`);
}

let withoutFault: string | undefined;

/**
 * Runs the selected tests with and without the fault.
 * @returns the first test that fails because of it
 */
function findIn(copy: string, selection: readonly string[]): Failure | undefined {
  const failure = firstFailure(copy, selection);
  if (!failure) return undefined;
  withoutFault ??= copySources('without-a-fault');
  const failsAnyway = firstFailure(withoutFault, ['run', failure.file]) !== undefined;
  return failsAnyway ? findIn(copy, [...selection, `--exclude=${failure.file}`]) : failure;
}

function find(name: string): boolean {
  const copy = plant(patches, name);
  let found: Failure | undefined;
  for (const selection of stagesOf(name, copy)) found ??= findIn(copy, selection);
  rmSync(copy, { recursive: true, force: true });
  process.stdout.write(`| ${name} | ${found ? `${found.file}: ${found.test}` : 'NOT FOUND'} |\n`);
  return found !== undefined;
}

process.stdout.write('| fault | found by |\n| --- | --- |\n');
const missed = plantedNames(patches)
  .filter((name) => wanted.length === 0 || wanted.includes(name))
  .filter((name) => !find(name));
process.exitCode = missed.length === 0 ? 0 : 1;
