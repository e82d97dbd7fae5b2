import { fileURLToPath } from 'node:url';
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { fastLane, type SlowLane, slowLanes } from './lanes.ts';

/** Folders of the packages' sources, which tests use instead of the builds. */
const sourceFolders = {
  base: 'packages/base/src',
  demo: 'packages/demo/src',
  'runs-client': 'packages/runs-client/src',
  'runs-service': 'packages/runs-service/src',
  'slack-stand-in': 'packages/slack-stand-in/src',
  'slash-agent': 'src',
};

export const packageSources = Object.entries(sourceFolders).flatMap(([name, path]) => {
  const folder = fileURLToPath(new URL(`../${path}`, import.meta.url));
  return [
    { find: new RegExp(`^${name}$`), replacement: `${folder}/index.ts` },
    { find: new RegExp(`^${name}/(.+)$`), replacement: `${folder}/$1.ts` },
  ];
});

const filesNamed = (suffix: string) =>
  ['test', 'packages/*/test', 'trials'].map((folder) => `${folder}/**/*${suffix}`);

const fast: TestProjectInlineConfiguration = {
  extends: true,
  test: {
    name: fastLane,
    include: filesNamed('.test.ts'),
    exclude: slowLanes.flatMap(({ name }) => filesNamed(`.${name}.test.ts`)),
    provide: { database: 'SQLite', delivery: 'socket' },
  },
};

const slow = ({ name, alsoFast, provide, isAlone }: SlowLane): TestProjectInlineConfiguration => ({
  extends: true,
  test: {
    name,
    include: [name, ...(alsoFast ? [alsoFast] : [])].flatMap((each) =>
      filesNamed(`.${each}.test.ts`),
    ),
    provide: { database: 'SQLite', delivery: 'socket', ...provide },
    ...(isAlone && { maxWorkers: 1 }),
    sequence: { groupOrder: isAlone ? 2 : 1 },
  },
});

// The only default export in the repository, because vitest requires one.
export default defineConfig({
  root: fileURLToPath(new URL('..', import.meta.url)),
  resolve: { alias: packageSources },
  test: {
    globalSetup: ['packages/base/test/support/vitest/global-setup.ts'],
    setupFiles: ['packages/base/test/support/vitest/long-waits.ts'],
    // One generous limit for loaded machines. A passing test never takes this long.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 240_000 } },
    // Test files share imports, because there's no module state. This saves a third of the time.
    isolate: false,
    // Tests spend half of their time waiting, so more files than cores can run at once.
    maxWorkers: 4,
    reporters: ['default'],
    experimental: { fsModuleCache: true },
    projects: [fast, ...slowLanes.map(slow)],
  },
});
