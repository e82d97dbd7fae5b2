import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readRunsServiceConfig } from 'runs-service/config/runs-service-config';
import { readEnvironments } from 'runs-service/environments/read-environments';
import { createJob } from 'runs-service/remote/kubernetes/job';
import { neededRights } from 'runs-service/remote/kubernetes/preflight';
import { describe, expect, it } from 'vitest';
import { readRights } from '../../packages/runs-service/test/support/kubernetes/api/rights.ts';
import { whyInvalid } from '../../packages/runs-service/test/support/kubernetes/api/validation.ts';
import {
  containerOf,
  documentsOf,
  environmentOf,
  isPublished,
  podNamed,
  secretsFolder,
} from '../../packages/runs-service/test/support/kubernetes/manifests.ts';
import { readBotConfig } from '../../src/config/bot-config.ts';
import { variables } from '../../src/config/variables.ts';
import { alertQueries } from '../metrics/queries.ts';

const folder = fileURLToPath(new URL('../../deploy/kubernetes/', import.meta.url));

const objects = readdirSync(folder)
  .filter((name) => name.endsWith('.yaml'))
  .flatMap((name) => documentsOf(readFileSync(join(folder, name), 'utf8')))
  .filter(isPublished);

describe('deploy/kubernetes', () => {
  it('fits the published schemas', () => {
    expect(objects.length).toBeGreaterThan(10);
    const mistakes = objects.map((each) => [each.kind, whyInvalid(each)]);
    expect(mistakes.filter(([, why]) => why !== undefined)).toEqual([]);
  });

  it('gives the bot and the runs service what they need to start, and nothing unknown', () => {
    const place = secretsFolder();
    const service = readRunsServiceConfig(
      environmentOf(containerOf(objects, 'runs-service'), place),
    );
    const bot = readBotConfig(environmentOf(containerOf(objects, 'bot'), place));
    expect(bot.databaseUrl).toBe(service.databaseUrl);
    expect('embedded' in bot.runsApi).toBe(false);
    const known = new Set(Object.keys(variables).flatMap((name) => [name, `${name}_FILE`]));
    for (const name of ['bot', 'runs-service'])
      expect(
        (containerOf(objects, name).env ?? []).filter((each) => !known.has(each.name)),
      ).toEqual([]);
  });

  it('gives the runs service exactly the rights that it uses', () => {
    const given = readRights(join(folder, 'rbac.yaml')).flatMap(({ apiGroups, resources, verbs }) =>
      apiGroups.flatMap((group) =>
        resources.flatMap((resource) => verbs.map((verb) => ({ group, resource, verb }))),
      ),
    );
    expect(given).toEqual(neededRights);
  });

  it('has a PodMonitor with a job name that the alert for a stopped process knows', () => {
    const [monitor] = documentsOf(readFileSync(join(folder, 'pod-monitor.yaml'), 'utf8'));
    const { namespace, name } = monitor?.metadata ?? {};
    const [, job = ''] = /\bup\{job=~"([^"]+)"\}/.exec(alertQueries().join('\n')) ?? [];
    // Prometheus Operator names the job: https://prometheus-operator.dev/docs/api-reference/api/#monitoring.coreos.com/v1.PodMonitorSpec
    for (const each of [`${namespace}/${name}`, 'slash-agent'])
      expect(each).toMatch(new RegExp(`^(${job})$`));
  });

  it('has an example of an environment that the service reads', () => {
    const [environment] = readEnvironments(join(folder, 'environments.yml'));
    expect(environment).toMatchObject({ runner: 'kubernetes', kubernetes: { disk: '10Gi' } });
  });

  it('keeps the restricted Pod Security Standard, also in the pods of runs', () => {
    const [environment] = readEnvironments(join(folder, 'environments.yml'));
    const { kubernetes: config } = environment ?? {};
    if (!config) throw new Error('the example has no pods');
    const attempt = { runId: 'run-1', attempt: 1, environmentId: 'website', deadlineSeconds: 60 };
    const pods = [
      ...[podNamed(objects, 'bot'), podNamed(objects, 'runs-service')],
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
});
