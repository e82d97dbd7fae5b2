import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { packageSources } from '../../../../test/vitest.config.ts';

export default defineConfig({
  root: fileURLToPath(new URL('../../../..', import.meta.url)),
  resolve: { alias: packageSources },
  test: {
    globalSetup: ['packages/runs-service/test/agents/setup.ts'],
    include: ['packages/runs-service/test/agents/*.trial.ts'],
    testTimeout: 240_000,
    hookTimeout: 600_000,
  },
});
