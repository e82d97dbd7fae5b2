import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const journeys = 'test/journeys/*.test.ts';
const timeouts = { testTimeout: 30_000, hookTimeout: 30_000 };

/**
 * Every journey runs in Socket Mode and over HTTP; one that is about the other way says so by the beginning of its
 * file's name.
 */
const journeysOver = (delivery: 'socket' | 'http', notAbout: string) => ({
  test: {
    ...timeouts,
    name: `over ${delivery}`,
    include: [journeys],
    exclude: [`test/journeys/${notAbout}-*.test.ts`],
    provide: { delivery },
  },
});

// The one default export in the tree: vitest reads its configuration that way.
export default defineConfig({
  root: fileURLToPath(new URL('..', import.meta.url)),
  test: {
    globalSetup: ['test/support/global-setup.ts'],
    // Most tests wait for processes and sockets rather than for a core.
    maxWorkers: 3,
    reporters: ['default'],
    projects: [
      {
        test: {
          ...timeouts,
          name: 'parts',
          include: ['test/**/*.test.ts'],
          exclude: [journeys],
          provide: { delivery: 'socket' },
        },
      },
      journeysOver('socket', 'http'),
      journeysOver('http', 'socket'),
    ],
  },
});
