import type { V1JobSpec, V1PodSpec } from '@kubernetes/client-node';
import type { ClusterObject, ObjectStore } from '../api/object-store.ts';

type Condition = { type: string; status: string; reason?: string; message?: string };

export const timestamp = () => new Date().toISOString().replace(/\.\d+Z/, 'Z');

const conditionsOf = (object: ClusterObject) =>
  (object.status?.['conditions'] ?? []) as Condition[];

const isTrue = (object: ClusterObject, type: string) =>
  conditionsOf(object).some((each) => each.type === type && each.status === 'True');

export function setCondition(object: ClusterObject, condition: Condition): void {
  const others = conditionsOf(object).filter(({ type }) => type !== condition.type);
  const dated = { ...condition, lastTransitionTime: timestamp() };
  object.status = { ...object.status, conditions: [...others, dated] };
}

export const isOver = (pod: ClusterObject) =>
  pod.status?.['phase'] === 'Failed' || pod.status?.['phase'] === 'Succeeded';

export type ControllerTools = {
  store: ObjectStore;
  addEvent: (about: ClusterObject, reason: string, message: string, type?: string) => void;
  /** Deletes an object like the API does. */
  remove: (kind: string, name: string, propagation: string) => void;
  /** Returns the reason if the cluster rejects a new pod. */
  whyNoPod: () => string | undefined;
  later: (ms: number, work: () => void) => void;
};

/** Handles Jobs like Kubernetes: creates their pods, notices their ends and deadlines, and cleans up. */
export function createJobController(tools: ControllerTools) {
  const { store, addEvent, remove, later } = tools;
  const counted = new Set<string>();
  const failures = new Map<string, number>();

  const podsOf = (job: ClusterObject) =>
    store
      .list('Pod')
      .filter(({ metadata }) => metadata.ownerReferences?.[0]?.uid === job.metadata.uid);

  function finish(job: ClusterObject, condition: Condition): void {
    const { ttlSecondsAfterFinished: ttl } = job.spec as unknown as V1JobSpec;
    store.change('Job', job.metadata.name, (each) => {
      const count = condition.type === 'Complete' ? { succeeded: 1 } : { failed: 1 };
      each.status = { ...each.status, active: 0, ready: 0, ...count };
      if (condition.type === 'Complete') each.status['completionTime'] = timestamp();
      setCondition(each, { ...condition, status: 'True' });
    });
    if (ttl !== undefined) later(ttl * 1_000, () => remove('Job', job.metadata.name, 'Background'));
  }

  function start(job: ClusterObject): void {
    const spec = job.spec as unknown as V1JobSpec;
    const rejected = tools.whyNoPod();
    const { name, uid = '' } = job.metadata;
    const podName = `${name}-${Math.random().toString(36).slice(2, 7).padEnd(5, 'x')}`;
    if (rejected !== undefined) {
      const words = `Error creating: pods "${podName}" is forbidden: ${rejected}`;
      addEvent(job, 'FailedCreate', words, 'Warning');
      const tries = (failures.get(uid) ?? 0) + 1;
      failures.set(uid, tries);
      later(Math.min(10_000, 250 * 2 ** tries), () => reconcile(name));
      return;
    }
    counted.add(uid);
    const { metadata, spec: podSpec } = spec.template;
    store.create({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        name: podName,
        namespace: job.metadata.namespace ?? '',
        labels: { ...metadata?.labels },
        annotations: { ...metadata?.annotations },
        ownerReferences: [
          {
            apiVersion: 'batch/v1',
            kind: 'Job',
            name,
            uid,
            controller: true,
            blockOwnerDeletion: true,
          },
        ],
      },
      spec: { ...(podSpec as V1PodSpec) },
      status: { phase: 'Pending' },
    });
    addEvent(job, 'SuccessfulCreate', `Created pod: ${podName}`);
    store.change('Job', name, (each) => {
      each.status = { ...each.status, active: 1 };
    });
  }

  function passDeadline(name: string, uid: string): void {
    const job = store.get('Job', name);
    if (job?.metadata.uid !== uid || isTrue(job, 'Failed') || isTrue(job, 'Complete')) return;
    for (const pod of podsOf(job)) remove('Pod', pod.metadata.name, 'Background');
    const message = 'Job was active longer than specified deadline';
    finish(job, { type: 'Failed', status: 'True', reason: 'DeadlineExceeded', message });
    addEvent(job, 'DeadlineExceeded', message, 'Warning');
  }

  function reconcile(name: string): void {
    const job = store.get('Job', name);
    if (!job || job.metadata.deletionTimestamp !== undefined) return;
    if (isTrue(job, 'Failed') || isTrue(job, 'Complete')) return;
    const spec = job.spec as unknown as V1JobSpec;
    const pods = podsOf(job);
    const { uid = '' } = job.metadata;
    if (spec.suspend) {
      if (isTrue(job, 'Suspended')) return;
      store.change('Job', name, (each) =>
        setCondition(each, { type: 'Suspended', status: 'True', reason: 'JobSuspended' }),
      );
      return;
    }
    if (job.status?.['startTime'] === undefined) {
      store.change('Job', name, (each) => {
        each.status = { ...each.status, startTime: timestamp() };
      });
      const { activeDeadlineSeconds: deadline } = spec;
      if (deadline !== undefined) later(deadline * 1_000, () => passDeadline(name, uid));
      return;
    }
    if (!counted.has(uid)) {
      start(job);
      return;
    }
    const [pod] = pods;
    if (pod?.status?.['phase'] === 'Succeeded') {
      finish(job, { type: 'Complete', status: 'True' });
      addEvent(job, 'Completed', 'Job completed');
    } else if (!pod || pod.status?.['phase'] === 'Failed' || pod.metadata.deletionTimestamp) {
      const message = 'Job has reached the specified backoff limit';
      finish(job, { type: 'Failed', status: 'True', reason: 'BackoffLimitExceeded', message });
      addEvent(job, 'BackoffLimitExceeded', message, 'Warning');
    }
  }

  return reconcile;
}
