import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readDatabaseConfig, readDatabaseUrl } from 'base/config/stored-data';
import { readRunsServiceConfig, readStoredConfig } from 'runs-service/config/runs-service-config';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../packages/runs-service/test/support/runs-service.ts';
import { readBotConfig } from '../src/config/bot-config.ts';
import { settings, variables } from '../src/config/variables.ts';

const complete = {
  SLACK_BOT_TOKEN: 'xoxb-1',
  SLACK_APP_TOKEN: 'xapp-1',
  RUNS_API_URL: 'https://runs.example.com/api/v1',
  RUNS_API_KEY: 'key',
};

const rejectionOf = (environment: Record<string, string>) =>
  rejectionFrom(() => readBotConfig(environment));

const rejectionFrom = (read: () => unknown) => {
  try {
    read();
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  return 'accepted';
};

describe('the configuration of the bot', () => {
  it('takes the client for Sign in with Slack as a whole, at the Slack that it talks to', () => {
    const embedded = {
      SLACK_BOT_TOKEN: 'xoxb-1',
      SLACK_APP_TOKEN: 'xapp-1',
      RUNS_SERVICE: 'embedded',
      RUNS_SERVICE_ENVIRONMENTS: 'x.yml',
      SLACK_CLIENT_ID: '1.2',
    };
    expect(rejectionOf(embedded)).toContain('SLACK_CLIENT_SECRET is missing');
    const clientSecret = '0123456789abcdef';
    const { runsApi } = readBotConfig({ ...embedded, SLACK_CLIENT_SECRET: clientSecret });
    const signIn = { issuer: 'https://slack.com', clientId: '1.2', clientSecret };
    expect(runsApi).toMatchObject({ signIn });
  });

  it('needs environments for the embedded runs service, and no other service', () => {
    const rejection = rejectionOf({ ...complete, RUNS_SERVICE: 'embedded' });
    expect(rejection).toContain('RUNS_SERVICE_ENVIRONMENTS is missing');
    expect(rejection).toContain("RUNS_API_URL and RUNS_SERVICE can't both be set");
  });

  it('lists all missing variables with where to get them, and suggests the demo', () => {
    const rejection = rejectionOf({});
    const needed = [
      'SLACK_BOT_TOKEN',
      'SLACK_APP_TOKEN',
      'SLACK_SIGNING_SECRET',
      'RUNS_API_URL',
      'RUNS_API_KEY',
    ] as const;
    for (const name of needed)
      expect(rejection).toContain(`${name} is missing. ${variables[name]}`);
    expect(rejection).toContain('npm run demo');
  });

  it('treats a blank value as missing', () => {
    expect(rejectionOf({ ...complete, RUNS_API_KEY: '  ' })).toContain('RUNS_API_KEY is missing');
  });

  it.each([
    ['SLACK_BOT_TOKEN', 'xapp-mixed-up', 'must be a token that starts with xoxb-'],
    ['SLACK_BOT_TOKEN', 'xoxb-', 'must be a token that starts with xoxb-'],
    ['SLACK_APP_TOKEN', 'xapp-', 'must be a token that starts with xapp-'],
    ['RUNS_API_URL', 'https://runs.example.com', 'must end in /api/v1'],
    ['RUNS_API_URL', 'runs.example.com/api/v1', 'must be an http or https URL'],
    ['RUNS_API_URL', 'http://runs.example.com/api/v1', 'RUNS_API_ALLOW_HTTP=true'],
    ['SLACK_API_URL', 'file:///etc/passwd', 'must be an http or https URL'],
    ['UNFURL_DOMAINS', 'https://runs.example.com', 'must be a list of domains'],
    ['CONNECTION_HOSTS', 'https://10.1.2.3', 'must be a list of hosts'],
    ['CONNECTION_HOSTS', '::1, a b', 'must be a list of hosts'],
    ['PORT', 'eighty', 'PORT must be a number from 0 to 65535'],
    ['PORT', '70000', 'PORT must be a number from 0 to 65535'],
    ['MAX_ACTIVE_RUNS', '0', 'MAX_ACTIVE_RUNS must be a whole number, 1 or more'],
    ['DATABASE_URL', 'mysql://localhost', 'must start with sqlite: or postgres://'],
    ['ENCRYPTION_KEY', 'too-short', 'ENCRYPTION_KEY must be a key of 32 bytes'],
    ['DATABASE_URL', 'postgres://db/bot', 'ENCRYPTION_KEY is missing'],
    ['DATABASE_URL', 'postgresql://db/bot', 'ENCRYPTION_KEY is missing'],
    ['LOG_LEVEL', 'loud', 'LOG_LEVEL has an unknown value'],
  ])('rejects %s=%s instead of using the default', (name, value, sentence) => {
    expect(rejectionOf({ ...complete, [name]: value })).toContain(sentence);
  });

  it('sends the key unencrypted to another machine only if told to', () => {
    const RUNS_API_URL = 'http://runs.internal/api/v1';
    const { runsApi } = readBotConfig({ ...complete, RUNS_API_URL, RUNS_API_ALLOW_HTTP: 'true' });
    expect(runsApi).toMatchObject({ baseUrl: RUNS_API_URL, allowHttp: true });
  });

  it('reads every secret from a file', () => {
    const folder = temporaryFolder();
    const file = (content: string) => {
      const path = join(folder, content.slice(0, 6));
      writeFileSync(path, `${content}\n`);
      return path;
    };
    const { slack, runsApi, databaseUrl, encryptionKeys } = readBotConfig({
      RUNS_API_URL: complete.RUNS_API_URL,
      SLACK_BOT_TOKEN_FILE: file('xoxb-from-a-file'),
      SLACK_APP_TOKEN_FILE: file('xapp-from-a-file'),
      RUNS_API_KEY_FILE: file('key-from-a-file'),
      DATABASE_URL_FILE: file('postgres://bot:password@db/bot'),
      ENCRYPTION_KEY_FILE: file('0f'.repeat(32)),
    });
    expect(slack.botToken).toBe('xoxb-from-a-file');
    expect(slack.delivery).toEqual({ mode: 'socket', appToken: 'xapp-from-a-file' });
    expect(runsApi).toMatchObject({ apiKey: 'key-from-a-file' });
    expect(databaseUrl).toBe('postgres://bot:password@db/bot');
    expect(encryptionKeys).toMatchObject({ current: Buffer.alloc(32, 0x0f) });
    const needed = { RUNS_SERVICE_ENVIRONMENTS: 'environments.yml' };
    const keys = readRunsServiceConfig({ ...needed, RUNS_SERVICE_KEYS_FILE: file('ada=key') }).keys;
    expect(keys).toBe('ada=key');
  });

  it('rejects a secret file that it cannot read, and a secret that is set twice', () => {
    const { RUNS_API_KEY: _, ...rest } = complete;
    expect(rejectionOf({ ...rest, RUNS_API_KEY_FILE: '/nowhere/key' })).toMatch(
      /RUNS_API_KEY_FILE: can't read \/nowhere\/key \(ENOENT\)/,
    );
    expect(rejectionOf({ ...complete, RUNS_API_KEY_FILE: '/nowhere/key' })).toContain(
      "RUNS_API_KEY and RUNS_API_KEY_FILE can't both be set",
    );
  });

  it('never prints a secret', () => {
    expect(rejectionOf({ ...complete, SLACK_BOT_TOKEN: 'hunter2hunter2' })).not.toContain(
      'hunter2',
    );
  });

  it.each([
    [undefined, ['runs.example.com']],
    ['sessions.example.com, Example.org', ['sessions.example.com', 'example.org']],
  ])('reads %s as the domains of session pages', (value, domains) => {
    const { unfurlDomains } = readBotConfig({
      ...complete,
      ...(value && { UNFURL_DOMAINS: value }),
    });
    expect(unfurlDomains).toEqual(domains);
  });

  it.each([
    ['runs.internal, 10.1.2.3', ['runs.internal', '10.1.2.3']],
    ['::1, [FD00:0::5]', ['::1', 'fd00::5']],
  ])('reads %s as hosts of connections in private networks', (value, hosts) => {
    const { connectionHosts } = readBotConfig({ ...complete, CONNECTION_HOSTS: value });
    expect(connectionHosts).toEqual(hosts);
  });

  it('selects Socket Mode without a port if there is an app token', () => {
    const config = readBotConfig(complete);
    expect(config.slack.delivery).toEqual({ mode: 'socket', appToken: 'xapp-1' });
    expect(config.health).toBeUndefined();
    expect(config.databaseUrl).toBe('sqlite:data/slash-agent.db');
    expect(config.encryptionKeys).toEqual({ file: 'data/encryption.key' });
  });

  it('keeps the database in DATA_DIR, next to its key, unless it has a URL', () => {
    const placed = { ...complete, DATA_DIR: '/srv/bot' };
    const inFolder = {
      databaseUrl: 'sqlite:/srv/bot/slash-agent.db',
      encryptionKeys: { file: '/srv/bot/encryption.key' },
    };
    expect(readBotConfig(placed)).toMatchObject(inFolder);
    expect(readStoredConfig(placed)).toMatchObject(inFolder);
    expect(readDatabaseConfig(settings, placed)).toMatchObject(inFolder);
    expect(readDatabaseUrl(settings, placed)).toBe(inFolder.databaseUrl);
    const elsewhere = { ...placed, DATABASE_URL: 'sqlite:other.db' };
    expect(readBotConfig(elsewhere).databaseUrl).toBe('sqlite:other.db');
  });

  it('has a public address for webhooks, with a bot token too', () => {
    expect(readBotConfig(complete).publicUrl).toBeUndefined();
    const published = { ...complete, PUBLIC_URL: 'https://agent.example.org/base/' };
    expect(readBotConfig(published)).toMatchObject({
      publicUrl: 'https://agent.example.org/base',
      slack: { botToken: 'xoxb-1' },
    });
    expect(rejectionOf({ ...complete, PUBLIC_URL: 'http://agent.example.org' })).toContain(
      'PUBLIC_URL must be an https URL',
    );
  });

  it('answers health checks in Socket Mode if PORT is set', () => {
    expect(readBotConfig({ ...complete, PORT: '8080' }).health).toEqual({
      port: 8080,
      host: '127.0.0.1',
    });
  });

  it('selects HTTP mode if there is only a signing secret', () => {
    const { SLACK_APP_TOKEN: _, ...rest } = complete;
    const config = readBotConfig({
      ...rest,
      SLACK_SIGNING_SECRET: 'secret-secret',
      HOST: '0.0.0.0',
    });
    expect(config.slack.delivery).toEqual({
      mode: 'http',
      signingSecret: 'secret-secret',
      port: 3000,
      host: '0.0.0.0',
    });
  });
});

describe('the configuration of the runs service alone', () => {
  it('needs an environments file', () => {
    expect(() => readRunsServiceConfig({})).toThrow(/RUNS_SERVICE_ENVIRONMENTS is missing/);
  });

  it('reads how many runs execute at a time, and leaves it to the service by default', () => {
    const needed = { RUNS_SERVICE_ENVIRONMENTS: 'environments.yml' };
    const read = (value: string) =>
      readRunsServiceConfig({ ...needed, RUNS_SERVICE_CONCURRENCY: value }).concurrency;
    expect(read('16')).toBe(16);
    expect(readRunsServiceConfig(needed).concurrency).toBeUndefined();
    for (const wrong of ['0', '-1', '1.5', 'many'])
      expect(() => read(wrong)).toThrow('RUNS_SERVICE_CONCURRENCY');
  });
});

describe('the place for files of runs', () => {
  const read = (url: string) =>
    readRunsServiceConfig({ RUNS_SERVICE_ENVIRONMENTS: 'x.yml', ARTIFACTS_URL: url })
      .artifactsBucket;

  it('is a bucket, with its own address and credentials if they are given', () => {
    expect(read('s3://files')).toEqual({ bucket: 'files', prefix: '' });
    expect(read('s3://ID:a%2Fb%2Bc@files/of/runs/?region=eu-1&endpoint=http://minio:9000')).toEqual(
      {
        bucket: 'files',
        prefix: 'of/runs/',
        region: 'eu-1',
        endpoint: 'http://minio:9000',
        credentials: { accessKeyId: 'ID', secretAccessKey: 'a/b+c' },
      },
    );
  });

  it.each([
    ['https://files', 'another scheme'],
    ['s3:///of/runs', 'no bucket'],
    ['s3://ID@files', 'half of the credentials'],
    ['s3://ID:%ZZ@files', 'a key that is not encoded'],
    ['s3://files?regoin=x', 'a misspelled option'],
    ['s3://files?endpoint=minio:9000', 'an endpoint without a scheme'],
  ])('is rejected as %s (%s), without showing it', (url) => {
    const message = rejectionFrom(() => read(url));
    expect(message).toContain('ARTIFACTS_URL must look like s3://bucket');
    expect(message).not.toContain(url);
  });
});

describe('the documentation of the configuration', () => {
  it('lists exactly the existing variables in .env.example', () => {
    const text = readFileSync(new URL('../.env.example', import.meta.url), 'utf8');
    const named = [...text.matchAll(/^#?([A-Z_]+)=/gm)].map((match) => match[1]);
    expect(named.sort()).toEqual(Object.keys(variables).sort());
  });

  it('lists exactly the existing variables in docs/configuration.md', () => {
    const text = readFileSync(new URL('../docs/configuration.md', import.meta.url), 'utf8');
    const named = [...text.matchAll(/^\| `([A-Z_]+)`\s*\|/gm)].map((match) => match[1]);
    expect(named.sort()).toEqual(Object.keys(variables).sort());
  });
});
