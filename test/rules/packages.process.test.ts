import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import { z } from 'zod';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../..', import.meta.url));

const packageSchema = z.looseObject({
  exports: z.record(z.string(), z.unknown()),
  dependencies: z.record(z.string(), z.string()),
});
const packedSchema = z.tuple([
  z.object({ filename: z.string(), files: z.array(z.object({ path: z.string() })) }),
]);

const parent = mkdtempSync(join(tmpdir(), 'slash-agent-packages-'));
afterAll(() => rmSync(parent, { recursive: true, force: true }));

const installing = new Map<string, ReturnType<typeof install>>();

/** A package, built and packed once and unpacked in an empty folder, next to its declared dependencies and nothing else. */
function installAlone(name: string) {
  const known = installing.get(name) ?? install(name);
  installing.set(name, known);
  return known;
}

async function install(name: string) {
  await run('npm', ['run', '--silent', 'build', '--workspace', name], { cwd: root });
  const folder = mkdtempSync(join(parent, `${name}-`));
  const pack = ['pack', '--ignore-scripts', '--json', '--silent', '--pack-destination', folder];
  const { stdout } = await run('npm', [...pack, '--workspace', name], { cwd: root });
  const [{ filename, files }] = packedSchema.parse(JSON.parse(stdout));
  const home = join(folder, 'node_modules', name);
  mkdirSync(home, { recursive: true });
  await run('tar', ['-xzf', join(folder, filename), '-C', home, '--strip-components', '1']);
  const manifest = packageSchema.parse(
    JSON.parse(readFileSync(join(home, 'package.json'), 'utf8')),
  );
  for (const dependency of Object.keys(manifest.dependencies)) {
    const link = join(folder, 'node_modules', dependency);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(root, 'node_modules', dependency), link);
  }
  return { ...manifest, folder, home, files: files.map(({ path }) => path) };
}

/** @returns the names by specifier */
async function namesExportedBy(specifiers: string[], cwd: string) {
  const names = specifiers.map((each) => `'${each}': Object.keys(await import('${each}'))`);
  const script = `console.log(JSON.stringify({ ${names.join(', ')} }))`;
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', script], { cwd });
  return z.record(z.string(), z.array(z.string())).parse(JSON.parse(stdout));
}

const packages: [name: string, dependencies: string[], main: string, pages: string[]][] = [
  ['runs-client', ['undici', 'zod'], 'createRunsClient', []],
  [
    'slack-stand-in',
    ['@hono/node-server', 'hono', 'marked', 'ws', 'yaml', 'zod'],
    'createLocalWorkspace',
    ['DIFFERENCES.md'],
  ],
];

describe.each(packages)('the package %s', (name, dependencies, main, pages) => {
  it('has a README, a license and the built files, and works in an empty folder', async () => {
    const installed = await installAlone(name);
    const top = installed.files.map((file) => file.split('/')[0]);
    const others = ['LICENSE', 'README.md', 'dist', 'package.json'];
    expect(new Set(top)).toEqual(new Set([...pages, ...others]));
    expect(Object.keys(installed.dependencies).toSorted()).toEqual(dependencies);
    const specifiers = Object.keys(installed.exports).map((entry) => entry.replace('.', name));
    const names = await namesExportedBy(specifiers, installed.folder);
    for (const specifier of specifiers)
      expect(names[specifier]?.length, specifier).toBeGreaterThan(0);
    expect(names[name]).toContain(main);
  });
});

describe('the package slack-stand-in', () => {
  it('has a command and the files of the page', async () => {
    const { folder, home, files } = await installAlone('slack-stand-in');
    const { stdout } = await run(process.execPath, [join(home, 'dist/cli.js'), '--help'], {
      cwd: folder,
    });
    expect(stdout).toContain('slack-stand-in --manifest manifest.yml');
    expect(files).toEqual(expect.arrayContaining(['dist/page/main.js', 'dist/page/main.css']));
  });
});

describe('the package slash-agent', () => {
  it('has every file of its program', async () => {
    const { stdout } = await run('npm', ['pack', '--dry-run', '--ignore-scripts', '--json'], {
      cwd: root,
    });
    const [packed] = packedSchema.parse(JSON.parse(stdout));
    const programs = packed.files.map(({ path }) => path).filter((path) => path.startsWith('bin/'));
    expect(programs.toSorted()).toEqual(
      readdirSync(join(root, 'bin'))
        .map((name) => `bin/${name}`)
        .toSorted(),
    );
  });
});
