import type { V1JobSpec } from '@kubernetes/client-node';
import type { ClusterObject, ObjectStore } from './object-store.ts';

/** Adds what the API adds to new objects. */
export function withDefaults(store: ObjectStore, object: ClusterObject): ClusterObject {
  const { name, uid = '' } = object.metadata;
  const changed = store.change(object.kind, name, (each) => {
    if (each.kind === 'Secret') encode(each);
    if (each.kind === 'Job') addSelector(each, { name, uid });
  });
  return changed ?? object;
}

function encode(secret: ClusterObject): void {
  const given = (secret['stringData'] ?? {}) as Record<string, string>;
  secret['data'] = Object.fromEntries(
    Object.entries(given).map(([name, value]) => [name, Buffer.from(value).toString('base64')]),
  );
  delete secret['stringData'];
}

function addSelector(job: ClusterObject, { name, uid }: { name: string; uid: string }): void {
  const spec = job.spec as unknown as V1JobSpec;
  const labels = {
    'batch.kubernetes.io/controller-uid': uid,
    'batch.kubernetes.io/job-name': name,
    'controller-uid': uid,
    'job-name': name,
  };
  spec.selector = { matchLabels: { 'batch.kubernetes.io/controller-uid': uid } };
  const { metadata } = spec.template;
  spec.template.metadata = { ...metadata, labels: { ...metadata?.labels, ...labels } };
  job.status = {};
}
