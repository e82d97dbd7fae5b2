import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'vitest';
import { bundleSlashAgent } from '../../../../base/test/support/bundle.ts';
import { freePort } from '../../../../base/test/support/free-port.ts';
import { startProgram } from '../../../../base/test/support/program.ts';
import type { ServiceEnvironment } from '../../../src/environments/environments.ts';
import { clientOf, createRepository, temporaryFolder, testKey } from '../runs-service.ts';
import { collect } from '../serve-runs.ts';
import type { Cluster, ClusterOptions } from './cluster.ts';
import { testCluster } from './runner.ts';

const image = 'slash-agent:test';
const repositoryInImage = '/repositories/website';

/** Starts a cluster with our image. Its environment has a shell script, which sees the folder `gate` as `/gate`. */
export async function clusterForRuns(script: string, options: ClusterOptions = {}) {
  const repository = createRepository({ 'notes.txt': 'one\n' });
  const gate = temporaryFolder();
  const manifest = join(temporaryFolder(), 'package.json');
  writeFileSync(manifest, '{ "type": "module" }');
  const files = {
    '/app/package.json': manifest,
    '/app/dist': dirname(bundleSlashAgent()),
    [repositoryInImage]: repository,
    '/gate': gate,
  };
  const images = {
    [image]: { files, workDir: '/app', entrypoint: ['node', 'dist/slash-agent.mjs'] },
  };
  const cluster = await testCluster({ images, ...options });
  const environment: ServiceEnvironment = {
    id: 'pods',
    command: ['sh', '-c', script],
    repositories: [{ url: repositoryInImage }],
    runner: 'kubernetes',
    kubernetes: { image },
  };
  return { cluster, environment, gate };
}

/** Starts the runs service as a process that can be killed and started again at the same address. */
export async function startServiceFor(
  { kubeconfig }: Pick<Cluster, 'kubeconfig'>,
  environments: ServiceEnvironment[],
) {
  const folder = temporaryFolder();
  const port = await freePort();
  writeFileSync(join(folder, 'environments.yml'), JSON.stringify({ environments }));
  const program = bundleSlashAgent();
  const start = async () => {
    const variables = {
      RUNS_SERVICE_ALLOW_ROOT: 'true',
      RUNS_SERVICE_ENVIRONMENTS: join(folder, 'environments.yml'),
      RUNS_SERVICE_KEYS: `ada:all=${testKey}`,
      RUNS_SERVICE_PORT: String(port),
      DATABASE_URL: `sqlite:${join(folder, 'service.db')}`,
      DATA_DIR: join(folder, 'data'),
      KUBECONFIG: kubeconfig,
    };
    const child = startProgram(program, variables, 'runs-service');
    const log = collect(child);
    await expect.poll(log).toContain('"apiUrl"');
    return { child, log };
  };
  let running = await start();
  const apiUrl = /"apiUrl":"([^"]+)"/.exec(running.log())?.[1] ?? '';
  return {
    ...clientOf(apiUrl),
    log: () => running.log(),
    folder,
    async killAndRestart(): Promise<void> {
      const exited = once(running.child, 'exit');
      running.child.kill('SIGKILL');
      await exited;
      running = await start();
    },
  };
}
