import { execFile } from 'node:child_process';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { ClusterObject } from '../../packages/runs-service/test/support/kubernetes/api/object-store.ts';
import { renderChart } from '../../packages/runs-service/test/support/kubernetes/helm.ts';
import { startInstallServer } from '../../packages/runs-service/test/support/kubernetes/install-server.ts';
import { documentsOf } from '../../packages/runs-service/test/support/kubernetes/manifests.ts';
import { temporaryFolder } from '../../packages/runs-service/test/support/runs-service.ts';

const run = promisify(execFile);

const docs = readFileSync(new URL('../../docs/kubernetes.md', import.meta.url), 'utf8');

/** Returns the code block of the page that starts with this text. */
function blockWith(start: string): string {
  const blocks = [...docs.matchAll(/```(?:sh|yaml)\n(.*?)```/gs)].map(([, text = '']) => text);
  const block = blocks.find((text) => text.trimStart().startsWith(start));
  if (block === undefined) throw new Error(`no block begins with ${start}`);
  return block;
}

const nameOf = ({ kind, metadata }: ClusterObject) => `${kind} ${metadata.name}`;

/** Turns off checks by the clients, because the server checks objects and offers no schemas. */
const withoutDownload = `
kubectl() { case $1 in apply|create|replace) command kubectl "$@" --validate=false;; *) command kubectl "$@";; esac; }
helm() { case $1 in upgrade) command helm "$@" --disable-openapi-validation;; *) command helm "$@";; esac; }
set -eu
`;

/** Creates a checkout, and a cluster with the namespaces and secrets of the page. */
async function followTheDocs() {
  const { kubeconfig, objects } = await startInstallServer();
  const folder = temporaryFolder();
  cpSync(fileURLToPath(new URL('../../deploy', import.meta.url)), join(folder, 'deploy'), {
    recursive: true,
    filter: (path) => !path.endsWith('/secrets'),
  });
  const env = { PATH: process.env['PATH'], HOME: folder, KUBECONFIG: kubeconfig };
  const follow = async (script: string) =>
    (await run('sh', ['-c', `${withoutDownload}${script}`], { cwd: folder, env })).stdout;
  await follow(blockWith('deploy/create-secrets.sh'));
  const names = () => objects().map(nameOf);
  return { follow, folder, names, objects };
}

describe('the commands of docs/kubernetes.md', () => {
  it('install with kubectl, change nothing the second time, and replace the secrets', async () => {
    const { follow, objects, names } = await followTheDocs();
    expect(names()).toEqual([
      'Namespace slash-agent',
      'Namespace slash-agent-runs',
      'Secret slash-agent',
    ]);
    const apply = blockWith('kubectl apply --kustomize');
    expect(await follow(apply)).toContain('statefulset.apps/runs-service created');
    const first = names();
    expect(first.length).toBeGreaterThan(12);
    const before = structuredClone(objects());
    expect(await follow(apply)).not.toContain('created');
    expect(objects()).toEqual(before);
    await follow('printf %s changed > deploy/secrets/anthropic');
    const replaced = await follow(blockWith('kubectl create secret'));
    expect(replaced).toContain('secret/slash-agent replaced');
    expect(replaced).toContain('statefulset.apps/runs-service restarted');
    const data = objects().find(({ kind }) => kind === 'Secret')?.['data'];
    expect(data).toMatchObject({ anthropic: Buffer.from('changed').toString('base64') });
    expect(data).not.toHaveProperty('postgres_password');
  });

  it('install with Helm, which upgrades and removes only what is its own', async () => {
    const { follow, folder, names, objects } = await followTheDocs();
    const before = names();
    writeFileSync(join(folder, 'values.yaml'), blockWith('# values.yaml'));
    const install = blockWith('helm upgrade').trimEnd();
    expect(await follow(install)).toContain('/agent run What does this project do?');
    const installed = names().filter((name) => !before.includes(name) && !name.includes('helm'));
    const rendered = documentsOf(renderChart(parse(blockWith('# values.yaml'))));
    expect(installed.toSorted()).toEqual(rendered.map(nameOf).toSorted());
    expect(await follow(`${install} --set bot.replicas=1`)).toContain('REVISION: 2');
    const bot = objects().find(({ kind }) => kind === 'Deployment');
    expect(bot?.spec?.['replicas']).toBe(1);
    expect(names()).not.toContain('PodDisruptionBudget bot');
    await follow('helm uninstall slash-agent --namespace slash-agent');
    expect(names()).toEqual(before);
  });
});
