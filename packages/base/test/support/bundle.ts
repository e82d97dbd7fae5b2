import { copyFileSync, existsSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import { inject } from 'vitest';

/** Defines the globals that CommonJS packages expect. The names must differ from those of imports in the bundle. */
const commonJsNames = [
  "import { createRequire as createBundleRequire } from 'node:module';",
  'const require = createBundleRequire(import.meta.url);',
  'const { filename: __filename, dirname: __dirname } = import.meta;',
].join('\n');

/** Packages that stay outside: native code, optional ones, and large ones that programs import only when needed. */
const external = [
  ...['libsql', 'pg-native', 'bufferutil', 'utf-8-validate'],
  ...['@kubernetes/client-node', '@aws-sdk/client-s3'],
];

const pathOf = (file: string) => fileURLToPath(new URL(`../../../../${file}`, import.meta.url));

const shared = {
  bundle: true,
  platform: 'node',
  format: 'esm',
  // A smaller file starts faster, because reading it is a third of the start.
  minifyWhitespace: true,
  minifySyntax: true,
  external,
  banner: { js: commonJsNames },
  // The paths in this file map package imports to their sources.
  tsconfig: pathOf('test/tsconfig.json'),
  logLevel: 'error',
} as const;

/**
 * Bundles a TypeScript file of this repository into one JavaScript file, for tests with real processes. Packages are
 * bundled too, because reading their hundreds of files takes half of a program's start. Each file is bundled once per
 * test run, or twice if two tests need it at the same time.
 */
export function bundle(file: string): string {
  const program = join(inject('programs'), file.replaceAll('/', '-').replace(/\.ts$/, '.mjs'));
  if (existsSync(program)) return program;
  const outfile = `${program}.${process.pid}`;
  buildSync({ ...shared, entryPoints: [pathOf(file)], outfile });
  renameSync(outfile, program);
  return program;
}

/**
 * Bundles the program `slash-agent` in a folder with the manifest. Its commands are loaded only when used, as in the
 * build.
 */
export function bundleSlashAgent(): string {
  const home = join(inject('programs'), 'slash-agent');
  const program = join(home, 'dist/slash-agent.mjs');
  if (existsSync(program)) return program;
  const unfinished = `${home}.${process.pid}`;
  buildSync({
    ...shared,
    entryPoints: [pathOf('src/bin/slash-agent.ts')],
    outdir: join(unfinished, 'dist'),
    splitting: true,
    chunkNames: 'commands/[name]-[hash]',
    alias: { undici: pathOf('packages/base/test/support/undici.ts') },
    outExtension: { '.js': '.mjs' },
  });
  for (const file of ['manifest.yml', 'package.json'])
    copyFileSync(pathOf(file), join(unfinished, file));
  try {
    renameSync(unfinished, home);
  } catch (error) {
    // Another test may have finished the same program first. Its copy is as good.
    if (!existsSync(program)) throw error;
    rmSync(unfinished, { recursive: true, force: true });
  }
  return program;
}
