import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { shellEnvironment, startRunsService, testKey } from './support/runs-service.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('..', import.meta.url));
// In the checkout, where imports of packages resolve; ignored by git.
const folder = `${root}.tmp/examples-${process.pid}/`;

const home = `${root}packages/runs-client/`;
const exportMap = JSON.parse(readFileSync(`${home}package.json`, 'utf8')).exports as Record<
  string,
  { default: string }
>;
/** What users import, with its source file. */
const entries = Object.entries(exportMap).map(([name, { default: file }]) => {
  const source = file.replace('./dist/', `${home}src/`).replace(/\.js$/, '.ts');
  return [name.replace('.', 'runs-client'), source] as const;
});

const guide = readFileSync(`${home}README.md`, 'utf8');
const examples = guide.split(/^## /m).flatMap((section) => {
  const title = section.slice(0, section.indexOf('\n'));
  return [...section.matchAll(/^```ts\n(.*?)^```/gms)].map(([, code = '']) => ({ title, code }));
});

/** What each example must print. */
const prints: Record<string, RegExp> = {
  'Start a run and wait for it': /^(QUEUED\n)?(INPROGRESS\n)*SUCCEEDED\nSUCCEEDED http/,
  Options: /^\d+\n$/,
  Errors: /^not_found 404 Run "no-such-run" doesn't exist\. \S+\n$/,
  'Exactly one run': /^created \S+\n$/,
  Pages: /^(\S+ [A-Z]+ .+\n)+the last page has [12]\n$/,
  Events: /^open \d+\n(reset \d+\n|\S+ QUEUED \S+\n)*$/,
  'Other calls': /^1 environments, 0 agents\n$/,
  'The raw response': /^200 application\/json\S* \S+ 1\n\d+\n$/,
  'Other endpoints': /^\S+\nobject\n$/,
};

const fileOf = (index: number) => `${folder}example-${index}.ts`;

beforeAll(() => {
  mkdirSync(folder, { recursive: true });
  for (const [index, { code }] of examples.entries()) writeFileSync(fileOf(index), code);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('the README of runs-client', () => {
  it('has exactly the examples that this test runs', () => {
    expect(examples.map(({ title }) => title)).toEqual(Object.keys(prints));
  });

  it('names every entry of the package', () => {
    for (const [name] of entries) expect(guide).toContain(`\`${name}\``);
  });

  it('has examples that fit the types', async () => {
    const paths = Object.fromEntries(entries.map(([name, source]) => [name, [source]]));
    const compilerOptions = {
      noEmit: true,
      allowImportingTsExtensions: true,
      paths,
      rootDir: root,
    };
    const config = {
      extends: `${root}tsconfig.json`,
      compilerOptions,
      include: ['.'],
      exclude: [],
    };
    writeFileSync(`${folder}tsconfig.json`, JSON.stringify(config));
    const tsc = `${root}node_modules/typescript/bin/tsc`;
    const output = await run(process.execPath, [tsc, '-p', folder]).catch((error) => error);
    expect(output.stdout).toBe('');
  });

  it.each(examples.map(({ title }, index) => [title, index] as const))(
    'runs: %s',
    async (title, index) => {
      const { service, begin, until } = await startRunsService({
        environments: [shellEnvironment('true')],
      });
      await until(await begin({ prompt: 'An earlier run' }), 'SUCCEEDED');
      const outfile = `${folder}example-${index}.mjs`;
      await build({
        entryPoints: [fileOf(index)],
        alias: Object.fromEntries(entries),
        bundle: true,
        packages: 'external',
        platform: 'node',
        format: 'esm',
        outfile,
        logLevel: 'error',
      });
      const env = { ...process.env, RUNS_API_URL: service.apiUrl, RUNS_API_KEY: testKey };
      const { stdout, stderr } = await run(process.execPath, [outfile], { env });
      expect(stderr).toBe('');
      expect(stdout).toMatch(prints[title] ?? /^$/);
    },
  );
});
