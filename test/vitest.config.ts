import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { SlowFirst } from './support/slow-first.ts';

const journey = (name: string) => `test/journeys/${name}.test.ts`;

/** Journeys that run over Socket Mode and HTTP. Together they bring every kind of delivery, also lost and repeated ones. */
const overBoth = [
  ...['agent-command', 'hanging-slack', 'not-ours', 'real-payloads', 'repeated-deliveries'],
  ...['restart', 'start-run', 'token-revoked', 'workflow-step'],
].map(journey);

/** Use the sources of the packages instead of their builds. */
export const packageSources = ['runs-client', 'slack-stand-in'].flatMap((name) => {
  const folder = fileURLToPath(new URL(`../packages/${name}/src`, import.meta.url));
  return [
    { find: new RegExp(`^${name}$`), replacement: `${folder}/index.ts` },
    { find: new RegExp(`^${name}/(.+)$`), replacement: `${folder}/$1.ts` },
  ];
});

type ProjectFiles = { include: string[]; exclude?: string[] };

/** Tests whose bots get Slack's deliveries in this mode. Where the mode doesn't matter, it's Socket Mode. */
const project = (delivery: 'socket' | 'http', files: ProjectFiles) => ({
  resolve: { alias: packageSources },
  test: {
    name: delivery,
    ...files,
    // The most that a loaded machine may need. Nothing waits this long if it works.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 60_000 } },
    // There is no module state, so test files can share imports. That saves a third of the time.
    isolate: false,
    provide: { delivery },
  },
});

// The only default export in the repository: vitest needs it.
export default defineConfig({
  root: fileURLToPath(new URL('..', import.meta.url)),
  test: {
    globalSetup: ['test/support/global-setup.ts'],
    // On two cores: half of the tests wait for processes and timers, so more files than cores can run at once.
    maxWorkers: 5,
    sequence: { sequencer: SlowFirst },
    reporters: ['default'],
    // Projects run one after the other. Journeys, which mostly wait, share one with the tests that need a core.
    projects: [
      project('http', { include: [journey('http-*'), ...overBoth] }),
      project('socket', {
        include: ['test/**/*.test.ts', 'packages/*/test/**/*.test.ts', 'trials/*.test.ts'],
        exclude: [journey('http-*')],
      }),
    ],
  },
});
