import { existsSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ServiceEnvironment } from 'runs-service/environments/environments';
import type { ModelProvider } from 'runs-service/environments/models-config';
import type { PublishConfig } from 'runs-service/environments/publish-config';
import { defaultPath } from 'runs-service/execution/files/run-files';
import { runGit } from 'runs-service/execution/git/git';
import { runOnHost } from 'runs-service/sandbox/run-on-host';
import { demoAuthor } from './demo-author.ts';
import { fieldNotes } from './field-notes.ts';

type DemoEnvironmentOptions = {
  /** Folder in which the repositories are created. */
  folder: string;
  /** Code host to which runs are published. */
  publish?: PublishConfig | undefined;
  path?: string | undefined;
  /** Model server that the agent uses through the gateway. By default, the agent uses no model. */
  provider?: ModelProvider | undefined;
  /** Agent to run; the built demo agent by default. */
  agent?: Pick<ServiceEnvironment, 'command' | 'harness'> | undefined;
};

/**
 * Settings that run the demo agent without a sandbox, so that the demo works on every machine. The agent is safe,
 * because it only follows the steps in this package.
 */
const trusted = { isolation: 'none', isBuiltIn: true, permissions: 'ask' } as const;

/** Cap of each run, so small that a run which thinks a few times asks for more. */
const oneCentPerRun = {
  caps: [{ scope: 'run', usd: 0.01, per: 'run' }],
  timeZone: 'UTC',
} satisfies Partial<ServiceEnvironment>;

const through = (provider: ModelProvider): Partial<ServiceEnvironment> => ({
  models: [provider.name],
  providers: [provider],
});

const builtAgent: Pick<ServiceEnvironment, 'command' | 'harness'> = {
  harness: 'acp',
  command: [
    process.execPath,
    fileURLToPath(new URL('./agent/main.js', import.meta.url)),
    '--pace-ms',
    '1500',
  ],
};

/**
 * Creates the demo's environment: a small git repository, created on first use, and an agent without a language model.
 */
export async function createDemoEnvironments(
  options: DemoEnvironmentOptions,
): Promise<ServiceEnvironment[]> {
  const path = options.path ?? defaultPath;
  const url = resolve(options.folder, 'field-notes');
  await createRepository(url, path);
  return [
    {
      id: 'demo',
      name: 'Demo: field notes',
      description:
        'A small JavaScript project with the built-in demo agent. It uses no language model.',
      repositories: [{ url, name: 'demo/field-notes' }],
      ...(options.agent ?? builtAgent),
      ...trusted,
      default: true,
      ...(options.provider && { ...oneCentPerRun, ...through(options.provider) }),
      ...(options.publish && { publish: options.publish }),
    },
  ];
}

/**
 * Creates the repository under a temporary name and then renames it, so that an interrupted start leaves no partial
 * repository.
 */
async function createRepository(folder: string, path: string): Promise<void> {
  if (existsSync(folder)) return;
  const unfinished = `${folder}.new`;
  await rm(unfinished, { recursive: true, force: true });
  for (const [name, content] of Object.entries(fieldNotes)) {
    const file = join(unfinished, name);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, content);
  }
  const git = (...args: string[]) =>
    runGit(args, {
      run: runOnHost,
      cwd: unfinished,
      path,
      signal: AbortSignal.timeout(60_000),
      variables: demoAuthor,
    });
  await git('init', '--quiet');
  await git('add', '--all');
  await git('commit', '--quiet', '--message', 'Initial commit');
  await rename(unfinished, folder);
}
