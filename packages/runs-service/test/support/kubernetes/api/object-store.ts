import { randomUUID } from 'node:crypto';
import type { V1ObjectMeta } from '@kubernetes/client-node';

/** Object in the cluster. Times are strings, like in the API. */
export type ClusterObject = {
  apiVersion: string;
  kind: string;
  metadata: Omit<V1ObjectMeta, 'creationTimestamp' | 'deletionTimestamp' | 'name'> & {
    name: string;
    creationTimestamp?: string;
    deletionTimestamp?: string;
  };
  spec?: Record<string, unknown>;
  status?: Record<string, unknown>;
  [field: string]: unknown;
};

export type Change = {
  type: 'ADDED' | 'MODIFIED' | 'DELETED';
  object: ClusterObject;
  version: number;
};

const clone = (object: ClusterObject): ClusterObject => structuredClone(object);

/** Stores objects with versions and a limited history, like etcd and the API's watch cache. */
export class ObjectStore {
  readonly #objects = new Map<string, ClusterObject>();
  readonly #listeners = new Set<(change: Change) => void>();
  #history: Change[] = [];
  #version = 1_000;
  /** Oldest version at which a watch can start. */
  #oldest = 1_000;

  get version(): number {
    return this.#version;
  }

  list(kind: string): ClusterObject[] {
    return [...this.#objects.entries()]
      .filter(([key]) => key.startsWith(`${kind}/`))
      .map(([, object]) => clone(object))
      .toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
  }

  get(kind: string, name: string): ClusterObject | undefined {
    const found = this.#objects.get(`${kind}/${name}`);
    return found && clone(found);
  }

  create(object: ClusterObject): ClusterObject {
    const created = clone(object);
    Object.assign(created.metadata, {
      uid: randomUUID(),
      creationTimestamp: new Date().toISOString().replace(/\.\d+Z/, 'Z'),
    });
    return this.#save('ADDED', created);
  }

  /** Changes the newest version of an object. Returns undefined if it doesn't exist anymore. */
  change(
    kind: string,
    name: string,
    edit: (object: ClusterObject) => void,
  ): ClusterObject | undefined {
    const found = this.get(kind, name);
    if (!found) return undefined;
    const before = JSON.stringify(found);
    edit(found);
    return JSON.stringify(found) === before ? found : this.#save('MODIFIED', found);
  }

  remove(kind: string, name: string): void {
    const found = this.get(kind, name);
    if (found) this.#save('DELETED', found);
  }

  subscribe(listener: (change: Change) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Returns the changes after a version, or undefined if the history doesn't have all of them. */
  since(version: number): Change[] | undefined {
    if (version < this.#oldest) return undefined;
    return this.#history.filter((change) => change.version > version);
  }

  /** Deletes the history, like etcd does every five minutes. */
  compact(): void {
    this.#history = [];
    this.#oldest = this.#version;
  }

  #save(type: Change['type'], object: ClusterObject): ClusterObject {
    this.#version += 1;
    object.metadata.resourceVersion = String(this.#version);
    const key = `${object.kind}/${object.metadata.name}`;
    if (type === 'DELETED') this.#objects.delete(key);
    else this.#objects.set(key, object);
    const change = { type, object: clone(object), version: this.#version };
    this.#history.push(change);
    for (const listener of [...this.#listeners]) listener(change);
    return clone(object);
  }
}
