import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { V1Container, V1PodSpec } from '@kubernetes/client-node';
import { parseAllDocuments } from 'yaml';
import { temporaryFolder } from '../runs-service.ts';
import type { ClusterObject } from './api/object-store.ts';

/** Parses manifests as YAML 1.1, like Kubernetes. In that version, 0440 is octal. */
export const documentsOf = (text: string): ClusterObject[] =>
  parseAllDocuments(text, { version: '1.1' }).map((document) => document.toJS());

/** Returns false for custom resources, which aren't in the published API. */
export const isPublished = ({ kind }: ClusterObject) =>
  kind !== 'PodMonitor' && kind !== 'Kustomization';

export const podOf = (object: ClusterObject | undefined) =>
  (object?.spec?.['template'] as { spec: V1PodSpec } | undefined)?.spec;

/** Returns the pod template of a StatefulSet or a Deployment. */
export const podNamed = (objects: readonly ClusterObject[], name: string): V1PodSpec | undefined =>
  podOf(
    objects.find(({ kind, metadata }) => /Set$|Deployment/.test(kind) && metadata.name === name),
  );

/** Returns the container of such a pod template. */
export function containerOf(objects: readonly ClusterObject[], name: string): V1Container {
  const [container] = podNamed(objects, name)?.containers ?? [];
  if (!container) throw new Error(`${name} has no container`);
  return container;
}

/** Returns a container's environment variables, with its secrets in this folder. */
export const environmentOf = ({ env = [] }: V1Container, folder: string): Record<string, string> =>
  Object.fromEntries(
    env.map(({ name, value = '' }) => [name, value.replace('/run/secrets/slash-agent', folder)]),
  );

const secrets = {
  database_url: 'postgres://slash_agent:x@postgres.example/slash_agent',
  encryption_key: Buffer.alloc(32, 1).toString('base64'),
  runs_api_key: 'k'.repeat(40),
  runs_service_keys: `service:slash-agent:all=${'k'.repeat(40)}`,
  slack_bot_token: 'xoxb-1-2-abc',
  slack_app_token: 'xapp-1-A1-2-abc',
  slack_signing_secret: '0123456789abcdef',
};

/** Creates a folder with the files that pods mount as their secrets. */
export function secretsFolder(): string {
  const folder = temporaryFolder();
  mkdirSync(folder, { recursive: true });
  for (const [name, value] of Object.entries(secrets)) writeFileSync(join(folder, name), value);
  return folder;
}
