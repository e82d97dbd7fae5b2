import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readRunsServiceConfig } from 'runs-service/config/runs-service-config';
import { readEnvironments } from 'runs-service/environments/read-environments';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { ClusterObject } from '../../packages/runs-service/test/support/kubernetes/api/object-store.ts';
import { whyInvalid } from '../../packages/runs-service/test/support/kubernetes/api/validation.ts';
import {
  chart,
  lintChart,
  renderChart,
} from '../../packages/runs-service/test/support/kubernetes/helm.ts';
import { kustomize } from '../../packages/runs-service/test/support/kubernetes/kubectl.ts';
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

const plain = fileURLToPath(new URL('../../deploy/kubernetes/', import.meta.url));
const readPlain = (name: string) => readFileSync(join(plain, name), 'utf8');

/** Required values, the same as in deploy/kubernetes. */
const needed = {
  image: 'registry.example.org/slash-agent:latest',
  ...parse(readPlain('environments.yml')),
  runsService: { publicUrl: 'https://runs.example.org' },
  networkPolicy: { internet: ['website'] },
};

/** Values that all differ from their defaults. The bot is in HTTP mode. */
const everything = {
  ...needed,
  caps: [{ scope: 'person', usd: 20, per: 'day' }],
  timeZone: 'Europe/Berlin',
  secret: {
    name: 'keys',
    values: {
      database_url: 'postgres://x',
      encryption_key: 'eA==',
      anthropic: 'sk-ant-1',
      runs_api_key: '0x10',
      runs_service_keys: 'true',
    },
  },
  runsNamespace: '2',
  bot: {
    replicas: 1,
    env: {
      SLACK_APP_TOKEN_FILE: '',
      SLACK_SIGNING_SECRET_FILE: '/run/secrets/slash-agent/slack_signing_secret',
      MAX_RUNS_PER_PERSON_PER_DAY: '1000000',
    },
    resources: { requests: { memory: '1Gi' } },
  },
  runsService: {
    publicUrl: 'https://runs.example.com',
    replicas: 2,
    storage: '5Gi',
    storageClass: 'fast',
    env: {
      ARTIFACTS_URL: 's3://bucket/runs?region=eu-central-1',
      RUNS_SERVICE_CONCURRENCY: '3',
    },
    resources: { requests: { memory: '2Gi' } },
  },
  pods: {
    imagePullSecrets: [{ name: 'registry' }],
    nodeSelector: { pool: 'apps' },
    tolerations: [{ key: 'apps', operator: 'Exists' }],
    affinity: { nodeAffinity: {} },
    topologySpreadConstraints: [
      { maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'ScheduleAnyway' },
    ],
    priorityClassName: 'high',
  },
  networkPolicy: {
    enabled: true,
    internet: ['website'],
    except: ['10.0.0.0/8', '203.0.113.0/24'],
  },
  podMonitor: { enabled: true, labels: { release: 'prometheus' } },
};

const objectsOf = (values: object, namespace?: string): ClusterObject[] =>
  documentsOf(renderChart(values, namespace));

const nameOf = ({ kind, metadata }: ClusterObject) => `${kind} ${metadata.name}`;

/** Returns objects by name, without differences in the order of variables and the layout of YAML. */
function comparable(objects: ClusterObject[]): Record<string, unknown> {
  for (const name of ['bot', 'runs-service'])
    containerOf(objects, name).env?.sort((a, b) => (a.name < b.name ? -1 : 1));
  return Object.fromEntries(
    objects.map((object) => [
      nameOf(object),
      object.kind === 'ConfigMap'
        ? { ...object, data: Object.values(object['data'] as object).map((text) => parse(text)) }
        : object,
    ]),
  );
}

/** Yields the values without one of them, once for each value. */
function* withoutOne(values: object, path = ''): Generator<[path: string, rest: object]> {
  for (const [name, value] of Object.entries(values)) {
    const { [name]: _, ...others } = values as Record<string, unknown>;
    const isGroup = value?.constructor === Object && Object.keys(value).length > 1;
    if (!isGroup) yield [`${path}${name}`, others];
    else
      for (const [at, rest] of withoutOne(value, `${path}${name}.`))
        yield [at, { ...values, [name]: rest }];
  }
}

describe('deploy/helm', () => {
  it('is a chart of the same version as the app', () => {
    const { version } = JSON.parse(
      readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
    );
    const about = parse(readFileSync(join(chart, 'Chart.yaml'), 'utf8'));
    expect([about.version, about.appVersion]).toEqual([version, version]);
    for (const values of [needed, everything])
      expect(lintChart(values)).toContain('1 chart(s) linted, 0 chart(s) failed');
  });

  it('makes the objects of deploy/kubernetes, but not its namespaces', () => {
    const made = objectsOf({ ...needed, podMonitor: { enabled: true } });
    const expected = documentsOf(`${kustomize(plain)}---\n${readPlain('pod-monitor.yaml')}`);
    const others = expected.filter(({ kind }) => kind !== 'Namespace');
    expect(others.length).toBeGreaterThan(10);
    expect(comparable(made)).toEqual(comparable(others));
  });

  it('takes the values of the documentation', () => {
    const docs = readFileSync(new URL('../../docs/kubernetes.md', import.meta.url), 'utf8');
    const [, example = ''] = /```yaml\n( *# values\.yaml\n.*?)```/s.exec(docs) ?? [];
    const made = objectsOf(parse(example));
    const file = join(secretsFolder(), 'environments.yml');
    const config = made.find(({ kind }) => kind === 'ConfigMap')?.['data'];
    writeFileSync(file, (config as Record<string, string>)['environments.yml'] ?? '');
    const [environment] = readEnvironments(file);
    expect(environment?.kubernetes).toMatchObject({
      image: containerOf(made, 'runs-service').image,
      namespace: made.find(({ kind }) => kind === 'Role')?.metadata.namespace,
    });
  });

  it('fits the published schemas, and each value changes something', () => {
    const made = objectsOf(everything, 'apps');
    const mistakes = made.filter(isPublished).map((each) => [nameOf(each), whyInvalid(each)]);
    expect(mistakes.filter(([, why]) => why !== undefined)).toEqual([]);
    const whole = renderChart(everything, 'apps');
    const isNeeded =
      /^(image|environments|runsService\.(publicUrl|env\.ARTIFACTS_URL)|secret\.values\.(?!anthropic).*)$/;
    const paths: string[] = [];
    for (const [path, rest] of withoutOne(everything)) {
      if (isNeeded.test(path)) continue;
      // Leaving this value out changes nothing, because it's true by default.
      if (path !== 'networkPolicy.enabled')
        expect([path, renderChart(rest, 'apps')]).not.toEqual([path, whole]);
      paths.push(path);
    }
    expect(paths).toContain('podMonitor.labels');
    const off = objectsOf({ ...everything, networkPolicy: { enabled: false } });
    expect(off.filter(({ kind }) => kind === 'NetworkPolicy')).toEqual([]);
  });

  it('lets no agent reach more than DNS and the runs service, unless its environment is named', () => {
    const policies = objectsOf({ ...needed, networkPolicy: {} }).filter(
      ({ kind }) => kind === 'NetworkPolicy',
    );
    expect(policies.map(nameOf)).toEqual(['NetworkPolicy runs']);
    expect(JSON.stringify(policies)).not.toContain('ipBlock');
  });

  it('keeps to the namespaces of its release and of runs', () => {
    const made = objectsOf(everything, '1');
    expect(new Set(made.map(({ metadata }) => metadata.namespace))).toEqual(new Set(['1', '2']));
    const find = (kind: string) => made.find((each) => each.kind === kind);
    expect(find('RoleBinding')?.['subjects']).toMatchObject([{ namespace: '1' }]);
    expect(JSON.stringify(find('NetworkPolicy')?.spec)).toContain('metadata.name":"1"');
    const urls = ['bot', 'runs-service'].flatMap((name) =>
      containerOf(made, name).env?.flatMap(
        ({ value = '' }) => /\/\/runs-service.*/.exec(value) ?? [],
      ),
    );
    expect(urls).toEqual(['//runs-service.1.svc:4800/api/v1', '//runs-service.1.svc:4800']);
  });

  it('takes settings, secrets and one replica as they are given', () => {
    const made = objectsOf(everything);
    const place = secretsFolder();
    const bot = readBotConfig(environmentOf(containerOf(made, 'bot'), place));
    expect(bot).toMatchObject({
      slack: { delivery: { mode: 'http', port: 3000 } },
      limits: { maxRunsPerDay: 1_000_000 },
      unfurlDomains: ['runs.example.com'],
    });
    const service = readRunsServiceConfig(environmentOf(containerOf(made, 'runs-service'), place));
    expect(service.artifactsBucket).toMatchObject({ bucket: 'bucket' });
    for (const name of ['bot', 'runs-service']) {
      const known = new Set(Object.keys(variables).flatMap((each) => [each, `${each}_FILE`]));
      expect(containerOf(made, name).env?.filter((each) => !known.has(each.name))).toEqual([]);
      expect(podNamed(made, name)).toMatchObject(everything.pods);
    }
    const find = (kind: string) => made.filter((each) => each.kind === kind);
    // With one replica, a PodDisruptionBudget would block the drain of its node.
    expect(find('PodDisruptionBudget')).toEqual([]);
    expect(find('Secret').map(({ stringData }) => stringData)).toEqual([everything.secret.values]);
  });

  it.each([
    ['no image', { ...needed, image: '' }, 'Set image'],
    ['no environment', { ...needed, environments: [] }, 'Set environments'],
    ['no address', { ...needed, runsService: {} }, 'Set runsService.publicUrl'],
    [
      'replicas that share no files',
      { ...needed, runsService: { ...needed.runsService, replicas: 2 } },
      'Set ARTIFACTS_URL',
    ],
    ['one namespace', { ...needed, runsNamespace: 'slash-agent' }, 'namespace other than'],
    ['an unknown value', { ...needed, replicas: 2 }, 'replicas'],
    [
      'a number as a setting',
      { ...needed, bot: { env: { MAX_RUNS_PER_PERSON_PER_DAY: 1e6 } } },
      'MAX_RUNS_PER_PERSON_PER_DAY',
    ],
    ['a name that is no setting', { ...needed, bot: { env: { 'a-b': '' } } }, 'a-b'],
    ['half the secrets', { ...needed, secret: { values: { anthropic: 'x' } } }, 'encryption_key'],
    ['no replicas', { ...needed, bot: { replicas: 0 } }, 'replicas'],
    [
      'a pod without its security context',
      { ...needed, pods: { securityContext: {} } },
      'securityContext',
    ],
  ])('rejects %s', (_, values, words) => {
    expect(() => renderChart(values)).toThrow(words);
  });
});
