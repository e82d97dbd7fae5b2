import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { SlowFirst } from './support/vitest/slow-first.ts';

/** Use the sources of the packages instead of their builds. */
export const packageSources = ['runs-client', 'slack-stand-in'].flatMap((name) => {
  const folder = fileURLToPath(new URL(`../packages/${name}/src`, import.meta.url));
  return [
    { find: new RegExp(`^${name}$`), replacement: `${folder}/index.ts` },
    { find: new RegExp(`^${name}/(.+)$`), replacement: `${folder}/$1.ts` },
  ];
});

// The only default export in the repository: vitest needs it.
export default defineConfig({
  root: fileURLToPath(new URL('..', import.meta.url)),
  resolve: { alias: packageSources },
  test: {
    include: ['test/**/*.test.ts', 'packages/*/test/**/*.test.ts', 'trials/*.test.ts'],
    globalSetup: ['test/support/vitest/global-setup.ts'],
    // The most that a loaded machine may need. Nothing waits this long if it works.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 240_000 } },
    // There is no module state, so test files can share imports. That saves a third of the time.
    isolate: false,
    // On two cores: half of the tests wait for processes and timers, so more files than cores can run at once.
    maxWorkers: 5,
    sequence: { sequencer: SlowFirst },
    reporters: ['default'],
    experimental: { fsModuleCache: true },
  },
});
