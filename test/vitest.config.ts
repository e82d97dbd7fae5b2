import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

// The one default export in the tree: vitest reads its configuration that way.
export default defineConfig({
  root: fileURLToPath(new URL('..', import.meta.url)),
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    // Most tests wait for processes and sockets rather than for a core.
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 30_000,
    reporters: ['default'],
  },
});
