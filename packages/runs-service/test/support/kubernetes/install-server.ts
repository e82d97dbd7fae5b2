import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import { parse } from 'yaml';
import { temporaryFolder } from '../runs-service.ts';
import type { ClusterObject } from './api/object-store.ts';
import { readProtobufSecret } from './api/read-protobuf.ts';
import { fits, selectionOf } from './api/selection.ts';
import { whyInvalid } from './api/validation.ts';

/** Kinds that an installation creates, by API version and by their names in paths. */
const kinds: Record<string, Record<string, string>> = {
  v1: {
    configmaps: 'ConfigMap',
    namespaces: 'Namespace',
    secrets: 'Secret',
    serviceaccounts: 'ServiceAccount',
    services: 'Service',
  },
  'apps/v1': { deployments: 'Deployment', statefulsets: 'StatefulSet' },
  'networking.k8s.io/v1': { networkpolicies: 'NetworkPolicy' },
  'policy/v1': { poddisruptionbudgets: 'PodDisruptionBudget' },
  'rbac.authorization.k8s.io/v1': { rolebindings: 'RoleBinding', roles: 'Role' },
};

const verbs = ['create', 'delete', 'get', 'list', 'patch', 'update'];

/** Answers API discovery, which clients request first. */
function discover(path: string): object | undefined {
  const groups = Object.keys(kinds).filter((version) => version !== 'v1');
  if (path === '/version') return { major: '1', minor: '31', gitVersion: 'v1.31.0' };
  if (path === '/api') return { kind: 'APIVersions', versions: ['v1'] };
  if (path === '/apis')
    return {
      kind: 'APIGroupList',
      apiVersion: 'v1',
      groups: groups.map((groupVersion) => {
        const version = { groupVersion, version: 'v1' };
        return { name: groupVersion.split('/')[0], versions: [version], preferredVersion: version };
      }),
    };
  const groupVersion = path.replace(/^\/apis?\//, '');
  const resources = Object.entries(kinds[groupVersion] ?? {}).map(([name, kind]) => ({
    name,
    kind,
    verbs,
    singularName: kind.toLowerCase(),
    namespaced: kind !== 'Namespace',
  }));
  return resources.length > 0
    ? { kind: 'APIResourceList', apiVersion: 'v1', groupVersion, resources }
    : undefined;
}

const place = /^\/(?:api|apis)\/((?:[\w.]+\/)?v1)\/(?:namespaces\/([^/]+)\/)?(\w+)(?:\/([^/]+))?$/;

type Asked = { method: string; url: URL; body: Buffer; isPart: boolean };

/** Applies a strategic merge patch. Lists aren't supported, because they need merge keys. */
function merged<T extends object>(known: T, patch: object): T {
  const entries = Object.entries(patch).map(([name, value]) => {
    if (Array.isArray(value) || name.startsWith('$')) throw new Error(`can't merge ${name}`);
    const before = (known as Record<string, unknown>)[name];
    const isGroup = typeof value === 'object' && value !== null && typeof before === 'object';
    return [name, isGroup && before !== null ? merged(before, value) : value];
  });
  return { ...known, ...Object.fromEntries(entries) };
}

/**
 * Starts the part of the Kubernetes API that an installation needs, for an administrator. It stores objects and runs
 * nothing.
 */
export async function startInstallServer() {
  const objects = new Map<string, ClusterObject>();

  function answer({ method, url, body, isPart }: Asked): [status: number, content: object] {
    const found = discover(url.pathname);
    if (found) return [200, found];
    const [, version = '', namespace, resource = '', name] = place.exec(url.pathname) ?? [];
    const kind = kinds[version]?.[resource];
    if (kind === undefined) return rejection(404, 'NotFound', `there is no ${url.pathname}`);
    const folder = `${kind} ${namespace ?? ''}/`;
    if (method === 'GET' && name === undefined) {
      const items = [...objects]
        .filter(
          ([key, each]) => key.startsWith(folder) && fits(each, selectionOf(url.searchParams)),
        )
        .map(([, each]) => each);
      return [200, { kind: `${kind}List`, apiVersion: version, metadata: {}, items }];
    }
    const given =
      body.length === 0 || method === 'DELETE'
        ? undefined
        : (readProtobufSecret(body) ?? (parse(body.toString()) as ClusterObject));
    const key = `${folder}${name ?? given?.metadata.name}`;
    const known = objects.get(key);
    if (!known && method !== 'POST' && method !== 'PATCH')
      return rejection(404, 'NotFound', `${key} not found`);
    if (known && method === 'POST') return rejection(409, 'AlreadyExists', `${key} already exists`);
    if (!given) {
      if (method === 'DELETE') objects.delete(key);
      return [200, known ?? {}];
    }
    if (namespace !== undefined && !objects.has(`Namespace /${namespace}`))
      return rejection(404, 'NotFound', `namespaces "${namespace}" not found`);
    const next = isPart && known ? merged(known, given) : given;
    const why = next.kind === kind ? whyInvalid(next) : `it isn't a ${kind}`;
    if (why !== undefined) return rejection(422, 'Invalid', `${key} is invalid: ${why}`);
    objects.set(key, next);
    return [known ? 200 : 201, next];
  }

  const attempt = (asked: Asked) => {
    try {
      return answer(asked);
    } catch (error) {
      return rejection(500, 'Bug', String(error));
    }
  };
  const server = createServer(async (request, response) => {
    const { method = 'GET', url = '/', headers } = request;
    const isPart = headers['content-type'] === 'application/strategic-merge-patch+json';
    const body = await buffer(request);
    const asked = { method, url: new URL(url, 'http://cluster'), body, isPart };
    const [status, content] = attempt(asked);
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(content));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const kubeconfig = join(temporaryFolder(), 'kubeconfig');
  writeFileSync(kubeconfig, kubeconfigFor((server.address() as AddressInfo).port));
  return { kubeconfig, objects: () => [...objects.values()] };
}

const rejection = (code: number, reason: string, message: string): [number, object] => [
  code,
  { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', code, reason, message },
];

const kubeconfigFor = (port: number): string =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'test',
    clusters: [{ name: 'test', cluster: { server: `http://127.0.0.1:${port}` } }],
    users: [{ name: 'test', user: {} }],
    contexts: [{ name: 'test', context: { cluster: 'test', user: 'test' } }],
  });
