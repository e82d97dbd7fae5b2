import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const journey = (name: string) => `test/journeys/${name}.test.ts`;

/** Journeys that run over Socket Mode and HTTP, because delivery matters: commands, forms, events, lost deliveries. */
const overBoth = [
  ...['agent-command', 'hanging-slack', 'home', 'mention', 'not-ours', 'real-payloads'],
  ...['repeated-deliveries', 'restart', 'shortcuts', 'start-form', 'start-run', 'token-revoked'],
  'workflow-step',
].map(journey);

/** Use the sources of the packages instead of their builds. */
const packageSources = ['runs-client', 'slack-stand-in'].flatMap((name) => {
  const folder = fileURLToPath(new URL(`../packages/${name}/src`, import.meta.url));
  return [
    { find: new RegExp(`^${name}$`), replacement: `${folder}/index.ts` },
    { find: new RegExp(`^${name}/(.+)$`), replacement: `${folder}/$1.ts` },
  ];
});

type ProjectFiles = { include: string[]; exclude?: string[] };

const project = (name: string, delivery: 'socket' | 'http', files: ProjectFiles) => ({
  resolve: { alias: packageSources },
  test: {
    name,
    ...files,
    testTimeout: 30_000,
    hookTimeout: 30_000,
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
    // Most tests wait for processes and sockets, not for a core.
    maxWorkers: 3,
    reporters: ['default'],
    projects: [
      project('parts', 'socket', {
        include: ['test/**/*.test.ts', 'packages/*/test/**/*.test.ts', 'trials/*.test.ts'],
        exclude: [journey('*')],
      }),
      project('over socket', 'socket', { include: [journey('*')], exclude: [journey('http-*')] }),
      project('over http', 'http', { include: [journey('http-*'), ...overBoth] }),
    ],
  },
});
