import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { bundle } from '../../../base/test/support/bundle.ts';
import { endLeases } from '../../../base/test/support/end-leases.ts';
import { startGitServer } from '../support/code-hosts/git-server.ts';
import { startGithubServer } from '../support/code-hosts/github-server.ts';
import { clientOf, shellEnvironment, temporaryFolder } from '../support/runs-service.ts';
import { act } from './publishing.ts';

let program = '';
beforeAll(() => {
  program = bundle('packages/runs-service/test/support/service/service-process.ts');
});

async function startProcess(dataDir: string) {
  const child = spawn(process.execPath, [program, dataDir], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const kill = async () => {
    child.kill('SIGKILL');
    await exited;
  };
  onTestFinished(kill);
  const lines = createInterface({ input: child.stdout });
  const url = await new Promise<string>((resolve) => lines.once('line', resolve));
  return { ...clientOf(url), kill };
}

type Servers = {
  server: Awaited<ReturnType<typeof startGitServer>>;
  github: Awaited<ReturnType<typeof startGithubServer>>;
};

/** Kills the process when the step that `set` sets is reached for the first time. */
function killedAt(
  { kill }: { kill: () => Promise<void> },
  set: (once: () => Promise<void>) => void,
): Promise<void> {
  let hits = 0;
  return new Promise((resolve) => {
    set(async () => {
      hits += 1;
      if (hits > 1) return;
      await kill();
      resolve();
    });
  });
}

/** Starts the servers for a service process whose runs publish. */
async function start() {
  const server = await startGitServer();
  const github = await startGithubServer(server);
  const dataDir = temporaryFolder();
  const tokenFile = join(dataDir, 'token');
  writeFileSync(tokenFile, 'token-of-app');
  const environment = shellEnvironment('cat >> notes.txt', {
    repositories: [{ url: server.url, name: 'acme/app' }],
    publish: {
      mode: 'pull_request',
      host: 'github',
      api_url: github.apiUrl,
      token_file: tokenFile,
      reviewers: ['grace'],
      merge: true,
    },
  });
  writeFileSync(join(dataDir, 'environments.json'), JSON.stringify([environment]));
  return { server, github, dataDir };
}

/** Steps of a publication. Each sets a callback that runs once at that step. */
const steps: Record<string, (servers: Servers, once: () => Promise<void>) => void> = {
  'before the push': ({ server }, once) => {
    server.gate.before = once;
  },
  'after the push, before its answer': ({ server }, once) => {
    server.gate.after = once;
  },
  'before it looks for the pull request': ({ github }, once) => {
    github.gate.before = async (what) => (what.startsWith('GET') ? once() : undefined);
  },
  'before the pull request is opened': ({ github }, once) => {
    github.gate.before = async (what) => (/POST .*\/pulls$/.test(what) ? once() : undefined);
  },
  'after the pull request is opened, before its answer': ({ github }, once) => {
    github.gate.after = async (what) => (/POST .*\/pulls$/.test(what) ? once() : undefined);
  },
  'after reviewers were asked': ({ github }, once) => {
    github.gate.after = async (what) => (/requested_reviewers$/.test(what) ? once() : undefined);
  },
};

/** Steps of an action on the pull request, in the same form. */
const actionSteps: Record<string, [action: string, set: (typeof steps)[string]]> = {
  'before the merge': [
    'merge',
    ({ github }, once) => {
      github.gate.before = async (what) => (/^PUT .*\/merge$/.test(what) ? once() : undefined);
    },
  ],
  'after the merge, before its answer': [
    'merge',
    ({ github }, once) => {
      github.gate.after = async (what) => (/^PUT .*\/merge$/.test(what) ? once() : undefined);
    },
  ],
  'after the push of an update, before its answer': [
    'update_branch',
    ({ server }, once) => {
      server.gate.after = once;
    },
  ],
};

describe('kill -9 while changes are published', () => {
  it.each(Object.keys(steps))('%s ends in exactly one pull request', async (step) => {
    const { server, github, dataDir } = await start();

    const first = await startProcess(dataDir);
    const reached = killedAt(first, (once) => steps[step]?.({ server, github }, once));
    const id = await first.begin({ prompt: 'three\n' });
    await reached;
    endLeases(join(dataDir, 'service.db'));

    const second = await startProcess(dataDir);
    await expect.poll(async () => (await second.get(id)).publication?.state).toBe('published');
    const run = await second.get(id);
    expect(run.artifacts).toMatchObject([
      { artifact_type: 'PULL_REQUEST', data: { number: 1 } },
      { artifact_type: 'FILE', data: { filename: 'changes.patch' } },
    ]);
    expect(github.pulls).toHaveLength(1);
    expect(server.branches().toSorted()).toEqual([run.publication?.branch, 'main']);
    expect(server.git('rev-list', '--count', `main..${run.publication?.branch}`)).toBe('1');
  });
});

describe('kill -9 while a pull request is changed', () => {
  it.each(Object.keys(actionSteps))('%s does that once', async (step) => {
    const [action, set] = actionSteps[step] ?? ['', () => {}];
    const { server, github, dataDir } = await start();
    const first = await startProcess(dataDir);
    const id = await first.begin({ prompt: 'three\n' });
    const { publication } = await first.until(id, 'SUCCEEDED');
    const branch = publication?.branch ?? '';
    server.commit('main', 'other.txt', 'from main\n');
    const reached = killedAt(first, (once) => set({ server, github }, once));
    expect((await act(first, id, action)).status).toBe(200);
    await reached;
    endLeases(join(dataDir, 'service.db'));

    const second = await startProcess(dataDir);
    await expect.poll(async () => (await second.get(id)).publication).not.toHaveProperty('message');
    const merges = action === 'merge' ? ['merge'] : [];
    expect(github.merges).toEqual(merges);
    const updates = server.git('log', '--format=%s', '--grep=^Merge main into', branch);
    expect(updates).toBe(action === 'merge' ? '' : `Merge main into ${branch}`);
    expect(github.pulls).toHaveLength(1);
  });
});
