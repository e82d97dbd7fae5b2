import { execFileSync } from 'node:child_process';
import { cpSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readRunsServiceConfig } from 'runs-service/config/runs-service-config';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { environmentExamples } from '../../packages/runs-service/test/support/environment-examples.ts';
import { temporaryFolder } from '../../packages/runs-service/test/support/runs-service.ts';
import { readBotConfig } from '../../src/config/bot-config.ts';
import { variables } from '../../src/config/variables.ts';

const deploy = fileURLToPath(new URL('../../deploy/', import.meta.url));

const composeSchema = z.object({
  services: z.record(
    z.string(),
    z.object({
      environment: z.record(z.string(), z.coerce.string()),
      secrets: z.array(z.string()),
      volumes: z.array(z.string()).default([]),
      ports: z.array(z.string()).default([]),
    }),
  ),
  secrets: z.record(z.string(), z.object({ file: z.string() })),
});

const compose = composeSchema.parse(
  parse(readFileSync(join(deploy, 'compose.yml'), 'utf8'), { merge: true }),
);

/** Returns the environment of a container, with paths to the secrets in this folder. */
function environmentOf(service: string, folder: string): Record<string, string> {
  const given = Object.entries(compose.services[service]?.environment ?? {});
  return Object.fromEntries(
    given.map(([name, value]) => [
      name,
      value.replace('/run/secrets/', `${folder}/`).replace(/\$\{\w+:-(.*?)\}/g, '$1'),
    ]),
  );
}

function createSecrets(): string {
  const folder = temporaryFolder();
  cpSync(join(deploy, 'create-secrets.sh'), join(folder, 'create-secrets.sh'));
  const run = () => execFileSync(join(folder, 'create-secrets.sh'), { encoding: 'utf8' });
  const said = run();
  expect(said).toContain(`${folder}/secrets/slack_bot_token`);
  const read = () =>
    readdirSync(join(folder, 'secrets'), { withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ name }) => readFileSync(join(folder, 'secrets', name), 'utf8'));
  const unfinished = join(folder, 'secrets', 'encryption_key');
  writeFileSync(unfinished, '');
  run();
  expect(readFileSync(unfinished, 'utf8')).toMatch(/^\S{43}=$/);
  const first = read();
  run();
  expect(read()).toEqual(first);
  return join(folder, 'secrets');
}

describe('deploy/compose.yml', () => {
  it('publishes what deploy/prometheus.yml scrapes, for this machine only', () => {
    const prometheus = parse(readFileSync(join(deploy, 'prometheus.yml'), 'utf8'));
    const { targets } = prometheus.scrape_configs[0].static_configs[0];
    const services = ['bot', 'runs-service'];
    const published = services.map((name) => {
      const { environment = {}, ports = [] } = compose.services[name] ?? {};
      const port = environment['METRICS_PORT'];
      expect(ports).toContain(`127.0.0.1:${port}:${port}`);
      expect([environment['HOST'], environment['RUNS_SERVICE_HOST']]).toContain('0.0.0.0');
      return `127.0.0.1:${port}`;
    });
    expect(published.toSorted()).toEqual(targets.toSorted());
    const all = Object.values(compose.services).flatMap(({ ports }) => ports);
    expect(all.filter((each) => !each.startsWith('127.0.0.1:'))).toEqual([]);
  });

  it('gives the bot and the runs service what they need to start, and nothing unknown', () => {
    const secrets = createSecrets();
    writeFileSync(join(secrets, 'slack_bot_token'), 'xoxb-1-2-abc\n');
    writeFileSync(join(secrets, 'slack_app_token'), 'xapp-1-A1-2-abc\n');
    const service = readRunsServiceConfig(environmentOf('runs-service', secrets));
    const bot = readBotConfig(environmentOf('bot', secrets));

    expect(bot.databaseUrl).toBe(service.databaseUrl);
    const { runsApi } = bot;
    if ('embedded' in runsApi) throw new Error('the bot would run agents');
    expect(service.keys).toBe(`service:slash-agent:all=${runsApi.apiKey}`);
    const known = [
      ...Object.keys(variables),
      ...Object.keys(variables).map((name) => `${name}_FILE`),
    ];
    for (const name of ['bot', 'runs-service']) {
      expect(known).toEqual(
        expect.arrayContaining(Object.keys(compose.services[name]?.environment ?? {})),
      );
    }
  });

  it('mounts each secret that it names, and creates each in a private folder', () => {
    const folder = createSecrets();
    const created = readdirSync(folder).filter((name) => name !== 'agents');
    // The folder is private, so other users of the machine can't read the secrets.
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    for (const { environment, secrets } of Object.values(compose.services)) {
      const named = Object.values(environment).filter((value) => value.startsWith('/run/secrets/'));
      expect(named.map((value) => value.slice('/run/secrets/'.length)).toSorted()).toEqual(
        secrets.toSorted(),
      );
    }
    const files = Object.values(compose.secrets).map(({ file }) => file);
    expect(files.map((file) => file.replace('./secrets/', '')).toSorted()).toEqual(
      created.toSorted(),
    );
  });

  it('shows keys of agents where the examples of docs/environments.md name them', () => {
    const { environment, volumes } = compose.services['runs-service'] ?? {};
    const [source = '', target] =
      volumes?.map((each) => each.split(':')).find(([from]) => from?.startsWith('./secrets')) ?? [];
    const file = environment?.['RUNS_SERVICE_ENVIRONMENTS'] ?? '';
    for (const [title, example] of environmentExamples()) {
      const [{ secret_files: files = {} }] = parse(example).environments;
      for (const path of Object.values<string>(files))
        expect(dirname(resolve(dirname(file), path)), title).toBe(target);
    }
    // The container's user needs access. The private parent folder keeps other users out.
    const created = join(dirname(createSecrets()), source);
    expect(statSync(created).mode & 0o777).toBe(0o755);
  });
});
