import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { V1Container, V1PodSpec } from '@kubernetes/client-node';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { readBotConfig } from '../src/config/bot-config.ts';
import { readRunsServiceConfig } from '../src/config/runs-service-config.ts';
import { variables } from '../src/config/variables.ts';
import { createJob } from '../src/runs-service/engines/kubernetes/job.ts';
import { neededRights } from '../src/runs-service/engines/kubernetes/preflight.ts';
import { readEnvironments } from '../src/runs-service/environments/read-environments.ts';
import { kustomize, whyNoKubectl } from './support/kubernetes/kubectl.ts';
import type { ClusterObject } from './support/kubernetes/object-store.ts';
import { readRights } from './support/kubernetes/rights.ts';
import { whyInvalid } from './support/kubernetes/validation.ts';
import { temporaryFolder } from './support/runs-service.ts';

const folder = fileURLToPath(new URL('../deploy/kubernetes/', import.meta.url));
const whyNot = whyNoKubectl();

const documentsOf = (text: string): ClusterObject[] =>
  parseAllDocuments(text).map((document) => document.toJS());

/** A custom resource, which isn't in the published API. */
const isPublished = ({ kind }: ClusterObject) => kind !== 'PodMonitor' && kind !== 'Kustomization';

const objects = readdirSync(folder)
  .filter((name) => name.endsWith('.yaml'))
  .flatMap((name) => documentsOf(readFileSync(join(folder, name), 'utf8')))
  .filter(isPublished);

const named = (name: string) =>
  objects.find(({ kind, metadata }) => /Set|Deployment/.test(kind) && metadata.name === name);

const podOf = (object: ClusterObject | undefined) =>
  (object?.spec?.['template'] as { spec: V1PodSpec } | undefined)?.spec;

const containerOf = (name: string): V1Container => {
  const [container] = podOf(named(name))?.containers ?? [];
  if (!container) throw new Error(`${name} has no container`);
  return container;
};

const secrets = {
  database_url: 'postgres://slash_agent:x@postgres.example/slash_agent',
  encryption_key: Buffer.alloc(32, 1).toString('base64'),
  runs_api_key: 'k'.repeat(40),
  runs_service_keys: `service:slash-agent:all=${'k'.repeat(40)}`,
  ...{ slack_bot_token: 'xoxb-1-2-abc', slack_app_token: 'xapp-1-A1-2-abc' },
};

/** What a container gets, with its secrets in this folder. */
function environmentOf(name: string, place: string): Record<string, string> {
  const given = (containerOf(name).env ?? []).map((each) => [
    each.name,
    (each.value ?? '').replace('/run/secrets/slash-agent', place),
  ]);
  return Object.fromEntries(given);
}

describe('deploy/kubernetes', () => {
  it('fits the published schemas', () => {
    expect(objects.length).toBeGreaterThan(10);
    const mistakes = objects.map((each) => [each.kind, whyInvalid(each)]);
    expect(mistakes.filter(([, why]) => why !== undefined)).toEqual([]);
  });

  it('gives the bot and the runs service what they need to start, and nothing unknown', () => {
    const place = temporaryFolder();
    mkdirSync(place, { recursive: true });
    for (const [name, value] of Object.entries(secrets)) writeFileSync(join(place, name), value);
    const service = readRunsServiceConfig(environmentOf('runs-service', place));
    const bot = readBotConfig(environmentOf('bot', place));
    expect(bot.databaseUrl).toBe(service.databaseUrl);
    expect('embedded' in bot.runsApi).toBe(false);
    const known = new Set(Object.keys(variables).flatMap((name) => [name, `${name}_FILE`]));
    for (const name of ['bot', 'runs-service'])
      expect((containerOf(name).env ?? []).filter((each) => !known.has(each.name))).toEqual([]);
  });

  it('gives the runs service exactly the rights that it uses', () => {
    const given = readRights(join(folder, 'rbac.yaml')).flatMap(({ apiGroups, resources, verbs }) =>
      apiGroups.flatMap((group) =>
        resources.flatMap((resource) => verbs.map((verb) => ({ group, resource, verb }))),
      ),
    );
    expect(given).toEqual(neededRights);
  });

  it('has an example of an environment that the service reads', () => {
    const [environment] = readEnvironments(join(folder, 'environments.yml'));
    expect(environment).toMatchObject({ place: 'kubernetes', kubernetes: { disk: '10Gi' } });
  });

  it('keeps the restricted Pod Security Standard, also in the pods of runs', () => {
    const [environment] = readEnvironments(join(folder, 'environments.yml'));
    const { kubernetes: config } = environment ?? {};
    if (!config) throw new Error('the example has no pods');
    const attempt = { runId: 'run-1', attempt: 1, environmentId: 'website', deadlineSeconds: 60 };
    const pods = [
      ...[podOf(named('bot')), podOf(named('runs-service'))],
      createJob({ ...attempt, config, variables: {} }).spec?.template.spec,
    ];
    for (const pod of pods) {
      expect(pod?.securityContext).toMatchObject({
        runAsNonRoot: true,
        seccompProfile: { type: 'RuntimeDefault' },
      });
      for (const { securityContext } of pod?.containers ?? [])
        expect(securityContext).toMatchObject({
          allowPrivilegeEscalation: false,
          capabilities: { drop: ['ALL'] },
        });
      const kinds = (pod?.volumes ?? []).flatMap(({ name: _, ...volume }) => Object.keys(volume));
      expect(['configMap', 'emptyDir', 'secret']).toEqual(expect.arrayContaining(kinds));
    }
  });

  it.skipIf(whyNot !== undefined)(
    `is a kustomization${whyNot === undefined ? '' : ` (skipped: ${whyNot})`}`,
    () => {
      const made = documentsOf(kustomize(folder));
      expect(made.map(({ kind }) => kind).toSorted()).toEqual(
        [...objects.map(({ kind }) => kind), 'ConfigMap'].toSorted(),
      );
      expect(made.map(whyInvalid).filter((why) => why !== undefined)).toEqual([]);
      const images = made.flatMap(
        (each) => podOf(each)?.containers.map(({ image }) => image) ?? [],
      );
      expect(new Set(images)).toEqual(new Set(['registry.example.org/slash-agent:latest']));
    },
  );
});
