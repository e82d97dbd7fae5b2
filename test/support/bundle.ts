import { existsSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import { inject } from 'vitest';

/** What CommonJS packages expect to exist. Its names must not be those of imports in the bundle. */
const commonJsNames = [
  "import { createRequire as createBundleRequire } from 'node:module';",
  'const require = createBundleRequire(import.meta.url);',
  'const { filename: __filename, dirname: __dirname } = import.meta;',
].join('\n');

/** Native code, what packages can do without, and large packages that a program imports only when it needs them. */
const external = [
  ...['libsql', 'pg-native', 'bufferutil', 'utf-8-validate'],
  ...['@kubernetes/client-node', '@aws-sdk/client-s3'],
];

const sources = (name: string) =>
  fileURLToPath(new URL(`../../packages/${name}/src`, import.meta.url));

/**
 * Bundles a TypeScript file of this repository into one JavaScript file, for tests with real processes. Packages are
 * bundled too, because reading their hundreds of files takes half of a program's start. Each file is bundled once per
 * test run, or twice if two tests need it at the same time.
 */
export function bundle(file: string): string {
  const program = join(inject('programs'), file.replaceAll('/', '-').replace(/\.ts$/, '.mjs'));
  if (existsSync(program)) return program;
  const outfile = `${program}.${process.pid}`;
  buildSync({
    entryPoints: [fileURLToPath(new URL(`../../${file}`, import.meta.url))],
    bundle: true,
    platform: 'node',
    format: 'esm',
    // Reading the program is a third of its start.
    minifyWhitespace: true,
    minifySyntax: true,
    external,
    banner: { js: commonJsNames },
    alias: { 'runs-client': sources('runs-client'), 'slack-stand-in': sources('slack-stand-in') },
    outfile,
    logLevel: 'error',
  });
  renameSync(outfile, program);
  return program;
}
