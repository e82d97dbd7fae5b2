import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { V1PodSpec } from '@kubernetes/client-node';
import { temporaryFolder } from '../runs-service.ts';
import { startApiServer } from './api/api-server.ts';
import { createCertificate } from './api/certificate.ts';
import { type ClusterObject, ObjectStore } from './api/object-store.ts';
import type { Rights } from './api/rights.ts';
import type { ContainerImage } from './nodes/container-process.ts';
import { createJobController, setCondition, timestamp } from './nodes/job-controller.ts';
import { createKubelet } from './nodes/kubelet.ts';

const namespace = 'agents';

type Node = { name: string; labels?: Record<string, string>; pods?: number };

export type ClusterOptions = {
  images?: Record<string, ContainerImage>;
  nodes?: Node[];
  /** Permissions of the runs service. Without them, it can do everything. */
  rights?: Rights | undefined;
  bookmarkMs?: number;
  /** True if pods run. Without bubblewrap, they stay as they are. */
  hasKubelet?: boolean;
};

/** Starts a Kubernetes cluster with one namespace and what Jobs need. Requests have to match the published API. */
export async function startCluster(options: ClusterOptions = {}) {
  const { images = {}, nodes = [{ name: 'node-1' }], hasKubelet = true } = options;
  const folder = temporaryFolder();
  const store = new ObjectStore();
  const timers = new Set<NodeJS.Timeout>();
  const later = (ms: number, work: () => void) => {
    const timer = setTimeout(() => {
      timers.delete(timer);
      work();
    }, ms);
    timers.add(timer);
  };
  const faults = {
    noPod: undefined as string | undefined,
    noJob: undefined as Rejection | undefined,
  };

  let events = 0;
  function addEvent(about: ClusterObject, reason: string, message: string, type = 'Normal'): void {
    const { name, uid = '' } = about.metadata;
    events += 1;
    store.create({
      apiVersion: 'v1',
      kind: 'Event',
      type,
      reason,
      message,
      count: 1,
      metadata: { name: `${name}.${events.toString(16)}`, namespace },
      involvedObject: { apiVersion: about.apiVersion, kind: about.kind, name, uid, namespace },
      firstTimestamp: timestamp(),
      lastTimestamp: timestamp(),
      source: { component: 'fake' },
    });
  }

  function remove(kind: string, name: string, propagation: string): void {
    const found = store.get(kind, name);
    if (!found || found.metadata.deletionTimestamp !== undefined) return;
    if (kind === 'Pod' || (kind === 'Job' && propagation === 'Foreground')) {
      store.change(kind, name, (each) => {
        each.metadata.deletionTimestamp = timestamp();
        if (kind === 'Job') each.metadata.finalizers = ['foregroundDeletion'];
      });
    } else store.remove(kind, name);
  }

  /** Deletes objects whose owner was deleted or is being deleted. */
  function collectGarbage(): void {
    const jobs = new Map(store.list('Job').map((job) => [job.metadata.uid, job]));
    for (const kind of ['Pod', 'Secret'])
      for (const { metadata } of store.list(kind)) {
        const owner = metadata.ownerReferences?.[0];
        if (!owner) continue;
        const job = jobs.get(owner.uid);
        if (!job || job.metadata.deletionTimestamp) remove(kind, metadata.name, 'Background');
      }
    for (const job of store.list('Job')) {
      if (!job.metadata.deletionTimestamp) continue;
      const isOurs = ({ metadata }: ClusterObject) =>
        metadata.ownerReferences?.[0]?.uid === job.metadata.uid;
      if (!store.list('Pod').some(isOurs)) store.remove('Job', job.metadata.name);
    }
  }

  const whyNoPod = () => faults.noPod;
  const reconcile = createJobController({ store, addEvent, remove, whyNoPod, later });
  mkdirSync(join(folder, 'pods'));
  const kubelet = createKubelet({ store, addEvent, later, images, folder: join(folder, 'pods') });

  function schedule(pod: ClusterObject): void {
    const spec = pod.spec as unknown as V1PodSpec;
    if (spec.nodeName !== undefined || pod.metadata.deletionTimestamp) return;
    const wanted = Object.entries(spec.nodeSelector ?? {});
    const node = nodes.find(({ labels = {} }) =>
      wanted.every(([name, value]) => labels[name] === value),
    );
    const message = `0/${nodes.length} nodes are available: ${nodes.length} node(s) didn't match Pod's node affinity/selector.`;
    const isKnown = store.get('Pod', pod.metadata.name)?.status?.['conditions'] !== undefined;
    if (node === undefined && isKnown) return;
    store.change('Pod', pod.metadata.name, (each) => {
      if (node) each.spec = { ...each.spec, nodeName: node.name };
      const missing = { status: 'False', reason: 'Unschedulable', message };
      setCondition(each, { type: 'PodScheduled', ...(node ? { status: 'True' } : missing) });
    });
    if (!node) addEvent(pod, 'FailedScheduling', message, 'Warning');
  }

  const handle = (object: ClusterObject, isGone: boolean) => {
    if (object.kind === 'Job' && !isGone) reconcile(object.metadata.name);
    if (object.kind === 'Pod') {
      const owner = object.metadata.ownerReferences?.[0]?.name;
      if (!isGone) schedule(object);
      const now = store.get('Pod', object.metadata.name);
      if (now && hasKubelet) kubelet.heed(now);
      else if (now?.metadata.deletionTimestamp) store.remove('Pod', now.metadata.name);
      if (owner !== undefined) reconcile(owner);
    }
    if (object.kind !== 'Event' && (isGone || object.metadata.deletionTimestamp)) collectGarbage();
  };
  const unsubscribe = store.subscribe(({ object, type }) =>
    later(0, () => handle(object, type === 'DELETED')),
  );

  const certificate = createCertificate();
  const server = await startApiServer({
    certificate,
    store,
    namespace,
    remove,
    rights: options.rights,
    bookmarkMs: options.bookmarkMs ?? 1_000,
    logOf: kubelet.log,
    whyNoJob: () => faults.noJob,
  });
  const kubeconfig = join(folder, 'kubeconfig');
  writeFileSync(kubeconfig, kubeconfigOf(server.url, 'service', certificate));
  const adminConfig = join(folder, 'admin');
  writeFileSync(adminConfig, kubeconfigOf(server.url, 'admin', certificate));

  return {
    store,
    faults,
    kubelet,
    kubeconfig,
    adminConfig,
    server,
    remove,
    url: server.url,
    jobs: () => store.list('Job'),
    pods: () => store.list('Pod'),
    async stop(): Promise<void> {
      unsubscribe();
      for (const timer of timers) clearTimeout(timer);
      await kubelet.stop();
      for (const timer of timers) clearTimeout(timer);
      await server.stop();
    },
  };
}

export type Rejection = { code: number; reason: string; message: string };
export type Cluster = Awaited<ReturnType<typeof startCluster>>;

const kubeconfigOf = (server: string, token: string, { cert }: { cert: string }) =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'test',
    clusters: [
      {
        name: 'test',
        cluster: { server, 'certificate-authority-data': Buffer.from(cert).toString('base64') },
      },
    ],
    users: [{ name: 'test', user: { token } }],
    contexts: [{ name: 'test', context: { cluster: 'test', user: 'test', namespace } }],
  });
