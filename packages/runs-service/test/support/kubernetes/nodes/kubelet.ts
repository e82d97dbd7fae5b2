import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { V1Container, V1PodSpec, V1VolumeMount } from '@kubernetes/client-node';
import type { ClusterObject, ObjectStore } from '../api/object-store.ts';
import { type ContainerImage, ContainerProcess } from './container-process.ts';
import { isOver, setCondition, timestamp } from './job-controller.ts';

export type KubeletTools = {
  store: ObjectStore;
  addEvent: (about: ClusterObject, reason: string, message: string, type?: string) => void;
  later: (ms: number, work: () => void) => void;
  images: Record<string, ContainerImage>;
  folder: string;
};

type Running = { process: ContainerProcess; oom: boolean };

/** Runs the first container of each pod that is bound to a node, as a process in bubblewrap. */
export function createKubelet(tools: KubeletTools) {
  const { store, addEvent, later, images, folder } = tools;
  const running = new Map<string, Running>();
  const seen = new Set<string>();
  const lostNodes = new Set<string>();

  const folderOf = (pod: ClusterObject) => join(folder, pod.metadata.uid ?? '');
  const specOf = (pod: ClusterObject) => pod.spec as unknown as V1PodSpec;
  const current = (pod: ClusterObject) => {
    const found = store.get('Pod', pod.metadata.name);
    return found?.metadata.uid === pod.metadata.uid ? found : undefined;
  };

  function setState(pod: ClusterObject, state: object, more: Record<string, unknown> = {}): void {
    const [container] = specOf(pod).containers;
    const status = {
      name: container?.name,
      image: container?.image,
      imageID: '',
      restartCount: 0,
      ready: 'running' in state,
      started: 'running' in state,
      state,
    };
    store.change('Pod', pod.metadata.name, (each) => {
      each.status = { ...each.status, containerStatuses: [status], ...more };
    });
  }

  const wait = (pod: ClusterObject, reason: string, message?: string) =>
    setState(pod, { waiting: { reason, ...(message !== undefined && { message }) } });

  /** Prepares a pod. Retries with growing waits, like a kubelet. */
  function prepare(name: string, uid: string, tries: number): void {
    const pod = store.get('Pod', name);
    if (pod?.metadata.uid !== uid || pod.metadata.deletionTimestamp || isOver(pod)) return;
    const again = () =>
      later(Math.min(5_000, 200 * 2 ** tries), () => prepare(name, uid, tries + 1));
    const [container] = specOf(pod).containers;
    if (!container) return;
    const missing = whyNotMounted(pod);
    if (missing !== undefined) {
      if (tries === 0) wait(pod, 'ContainerCreating');
      addEvent(pod, 'FailedMount', missing, 'Warning');
      again();
      return;
    }
    const image = images[container.image ?? ''];
    if (!image) {
      const words = `failed to pull and unpack image "${container.image}": not found`;
      addEvent(pod, 'Failed', `Failed to pull image "${container.image}": ${words}`, 'Warning');
      if (tries % 2 === 0) wait(pod, 'ErrImagePull', words);
      else
        wait(
          pod,
          'ImagePullBackOff',
          `Back-off pulling image "${container.image}": ErrImagePull: ${words}`,
        );
      again();
      return;
    }
    const userId = specOf(pod).securityContext?.runAsUser ?? image.user ?? 0;
    const needsOther = specOf(pod).securityContext?.runAsNonRoot === true && userId === 0;
    if (needsOther) {
      wait(
        pod,
        'CreateContainerConfigError',
        'container has runAsNonRoot and image will run as root',
      );
      again();
      return;
    }
    start(pod, container, image, userId);
  }

  const secretsOf = (pod: ClusterObject) =>
    (specOf(pod).volumes ?? []).flatMap(({ name, secret }) =>
      secret?.secretName === undefined ? [] : [{ volume: name, secret: secret.secretName }],
    );

  function whyNotMounted(pod: ClusterObject): string | undefined {
    const missing = secretsOf(pod).find(({ secret }) => !store.get('Secret', secret));
    return (
      missing &&
      `MountVolume.SetUp failed for volume "${missing.volume}" : secret "${missing.secret}" not found`
    );
  }

  function start(
    pod: ClusterObject,
    container: V1Container,
    image: ContainerImage,
    userId: number,
  ): void {
    const own = folderOf(pod);
    for (const { volume, secret } of secretsOf(pod)) {
      mkdirSync(join(own, volume), { recursive: true });
      const { data = {} } = store.get('Secret', secret) as { data?: Record<string, string> };
      for (const [file, value] of Object.entries(data))
        writeFileSync(join(own, volume, file), Buffer.from(value, 'base64'));
    }
    const mounted = ({ name, mountPath, subPath = '', readOnly }: V1VolumeMount) => {
      const source = join(own, name, subPath);
      mkdirSync(source, { recursive: true });
      return { source, target: mountPath, isReadOnly: readOnly === true };
    };
    const { securityContext } = specOf(pod);
    const process = new ContainerProcess({
      image,
      userId,
      args: [...(container.command ?? []), ...(container.args ?? [])],
      groupId: securityContext?.runAsGroup ?? 0,
      variables: Object.fromEntries(
        (container.env ?? []).map(({ name, value = '' }) => [name, value]),
      ),
      mounts: (container.volumeMounts ?? []).map(mounted),
      isRootReadOnly: container.securityContext?.readOnlyRootFilesystem === true,
      logFile: join(own, 'log'),
    });
    const entry = { process, oom: false };
    running.set(pod.metadata.uid ?? '', entry);
    addEvent(pod, 'Pulled', `Container image "${container.image}" already present on machine`);
    addEvent(pod, 'Started', `Started container ${container.name}`);
    setState(
      pod,
      { running: { startedAt: timestamp() } },
      { phase: 'Running', startTime: timestamp() },
    );
    void process.ended.then(({ exitCode }) => end(pod, entry, exitCode));
  }

  function end(pod: ClusterObject, entry: Running, exitCode: number): void {
    running.delete(pod.metadata.uid ?? '');
    const found = current(pod);
    if (!found || lostNodes.has(specOf(found).nodeName ?? '')) return;
    if (!isOver(found)) {
      const lines = readFileSync(join(folderOf(pod), 'log'), 'utf8').split('\n');
      const state = {
        exitCode: entry.oom ? 137 : exitCode,
        reason: entry.oom ? 'OOMKilled' : exitCode === 0 ? 'Completed' : 'Error',
        finishedAt: timestamp(),
        ...(exitCode !== 0 && { message: lines.slice(-80).join('\n').slice(-2_048) }),
      };
      const phase = exitCode === 0 ? 'Succeeded' : 'Failed';
      setState(found, { terminated: state }, { phase });
    }
    if (found.metadata.deletionTimestamp) remove(found);
  }

  function remove(pod: ClusterObject): void {
    store.remove('Pod', pod.metadata.name);
    rmSync(folderOf(pod), { recursive: true, force: true });
  }

  function stopPod(pod: ClusterObject): void {
    const entry = running.get(pod.metadata.uid ?? '');
    if (!entry) {
      remove(pod);
      return;
    }
    entry.process.terminate();
    const { terminationGracePeriodSeconds: seconds = 30 } = specOf(pod);
    later(seconds * 1_000, () => entry.process.kill());
  }

  return {
    /** Handles a change of a pod. */
    heed(pod: ClusterObject): void {
      const { uid = '', deletionTimestamp, name } = pod.metadata;
      const { nodeName = '' } = specOf(pod);
      if (lostNodes.has(nodeName)) return;
      if (deletionTimestamp !== undefined) {
        if (nodeName === '') store.remove('Pod', name);
        else if (!seen.has(`${uid} stop`)) stopPod(pod);
        seen.add(`${uid} stop`);
      } else if (nodeName !== '' && !seen.has(uid)) {
        seen.add(uid);
        mkdirSync(folderOf(pod), { recursive: true });
        addEvent(pod, 'Scheduled', `Successfully assigned ${name} to ${nodeName}`);
        prepare(name, uid, 0);
      }
    },
    log: (pod: ClusterObject) => readFileSync(join(folderOf(pod), 'log')),
    isRunning: (pod: ClusterObject) => running.has(pod.metadata.uid ?? ''),
    count: () => running.size,
    /** Kills the container as if the kernel did, because of its memory. */
    outOfMemory(pod: ClusterObject): void {
      const entry = running.get(pod.metadata.uid ?? '');
      if (entry) entry.oom = true;
      entry?.process.kill();
    },
    /** Evicts a pod, as if the node had too little room. The pod's object stays. */
    evict(pod: ClusterObject, message: string): void {
      store.change('Pod', pod.metadata.name, (each) => {
        each.status = { ...each.status, phase: 'Failed', reason: 'Evicted', message };
        setCondition(each, {
          type: 'DisruptionTarget',
          status: 'True',
          reason: 'TerminationByKubelet',
          message,
        });
      });
      running.get(pod.metadata.uid ?? '')?.process.kill();
    },
    /** Makes a node unreachable. The cluster then gives up its pods. */
    loseNode(node: string): void {
      lostNodes.add(node);
      const message = 'Taint manager: deleting due to NoExecute taint';
      const lost = { type: 'DisruptionTarget', status: 'True', reason: 'DeletionByTaintManager' };
      for (const pod of store.list('Pod').filter((each) => specOf(each).nodeName === node)) {
        running.get(pod.metadata.uid ?? '')?.process.kill();
        store.change('Pod', pod.metadata.name, (each) => {
          each.metadata.deletionTimestamp = timestamp();
          setCondition(each, { ...lost, message });
        });
      }
    },
    async stop(): Promise<void> {
      const ended = [...running.values()].map(({ process }) => process.ended);
      for (const { process } of running.values()) process.kill();
      await Promise.all(ended);
    },
  };
}
