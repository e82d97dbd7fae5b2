import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

/** Bundles the page into a separate folder, as `npm run build:page` does. */
export async function buildPage(): Promise<URL> {
  const outdir = mkdtempSync(join(tmpdir(), 'workspace-page-'));
  const entry = new URL('../../../src/page/main.tsx', import.meta.url);
  await build({
    entryPoints: [fileURLToPath(entry)],
    bundle: true,
    target: 'es2022',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    outdir,
    logLevel: 'warning',
  });
  return pathToFileURL(`${outdir}/`);
}
