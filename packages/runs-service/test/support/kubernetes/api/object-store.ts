import { randomUUID } from 'node:crypto';
import type { V1ObjectMeta } from '@kubernetes/client-node';

/** Anything in the cluster. Times are text, as on the wire. */
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

/** What etcd and the API's watch cache do: objects with versions, and a history that is cut off. */
export class ObjectStore {
  readonly #objects = new Map<string, ClusterObject>();
  readonly #listeners = new Set<(change: Change) => void>();
  #history: Change[] = [];
  #version = 1_000;
  /** Watches can't start before this version. */
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

  /** Applies the change to the newest version. Returns undefined if the object is gone. */
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

  /** Changes after a version; undefined if the history doesn't reach back so far. */
  since(version: number): Change[] | undefined {
    if (version < this.#oldest) return undefined;
    return this.#history.filter((change) => change.version > version);
  }

  /** Forgets the history, as etcd does every five minutes. */
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
