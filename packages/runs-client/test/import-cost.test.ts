import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { expect, it } from 'vitest';

it('importing the client loads only Node modules: zod and undici come with the first call', async () => {
  const { metafile } = await build({
    entryPoints: [fileURLToPath(new URL('../src/index.ts', import.meta.url))],
    bundle: true,
    splitting: true,
    metafile: true,
    write: false,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    outdir: 'out',
  });
  const loaded = new Set<string>();
  const external = new Set<string>();
  function follow(file: string): void {
    if (loaded.has(file)) return;
    loaded.add(file);
    for (const { path, kind, external: isExternal } of metafile.outputs[file]?.imports ?? []) {
      if (kind !== 'import-statement') continue;
      if (isExternal) external.add(path);
      else follow(path);
    }
  }
  follow('out/index.js');
  expect([...external].filter((path) => !path.startsWith('node:'))).toEqual([]);
  const all = Object.values(metafile.outputs).flatMap(({ imports }) => imports);
  expect(all.map(({ path }) => path)).toEqual(expect.arrayContaining(['zod', 'undici']));
});
