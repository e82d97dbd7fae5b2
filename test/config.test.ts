import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readBotConfig, readRunsServiceConfig, variables } from '../src/config.ts';

const complete = {
  SLACK_BOT_TOKEN: 'xoxb-1',
  SLACK_APP_TOKEN: 'xapp-1',
  RUNS_API_URL: 'https://runs.example.com/api/v1',
  RUNS_API_KEY: 'key',
};

const refusalOf = (environment: Record<string, string>) => {
  try {
    readBotConfig(environment);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  return 'accepted';
};

describe('the configuration of the bot', () => {
  it('lists all missing variables with where to get them, and suggests the demo', () => {
    const refusal = refusalOf({});
    const needed = [
      'SLACK_BOT_TOKEN',
      'SLACK_APP_TOKEN',
      'SLACK_SIGNING_SECRET',
      'RUNS_API_URL',
      'RUNS_API_KEY',
    ] as const;
    for (const name of needed) expect(refusal).toContain(`${name} is missing. ${variables[name]}`);
    expect(refusal).toContain('npm run demo');
  });

  it('treats a blank value as missing', () => {
    expect(refusalOf({ ...complete, RUNS_API_KEY: '  ' })).toContain('RUNS_API_KEY is missing');
  });

  it.each([
    ['SLACK_BOT_TOKEN', 'xapp-mixed-up', 'must be a token that starts with xoxb-'],
    ['SLACK_BOT_TOKEN', 'xoxb-', 'must be a token that starts with xoxb-'],
    ['SLACK_APP_TOKEN', 'xapp-', 'must be a token that starts with xapp-'],
    ['RUNS_API_URL', 'https://runs.example.com', 'must end in /api/v1'],
    ['RUNS_API_URL', 'runs.example.com/api/v1', 'must be an http or https URL'],
    ['SLACK_API_URL', 'file:///etc/passwd', 'must be an http or https URL'],
    ['RUN_LINK_DOMAINS', 'https://runs.example.com', 'must be a list of domains'],
    ['PORT', 'eighty', 'PORT must be a number from 0 to 65535'],
    ['PORT', '70000', 'PORT must be a number from 0 to 65535'],
    ['LIVE_RUNS', '0', 'LIVE_RUNS must be a whole number, 1 or more'],
    ['DATABASE_URL', 'mysql://localhost', 'must start with sqlite: or postgres://'],
    ['LOG_LEVEL', 'loud', 'LOG_LEVEL has an unknown value'],
  ])('rejects %s=%s instead of using the default', (name, value, sentence) => {
    expect(refusalOf({ ...complete, [name]: value })).toContain(sentence);
  });

  it('never prints a secret', () => {
    expect(refusalOf({ ...complete, SLACK_BOT_TOKEN: 'hunter2hunter2' })).not.toContain('hunter2');
  });

  it.each([
    [undefined, ['runs.example.com']],
    ['sessions.example.com, Example.org', ['sessions.example.com', 'example.org']],
  ])('reads %s as the domains of session pages', (value, domains) => {
    const { runLinkDomains } = readBotConfig({
      ...complete,
      ...(value && { RUN_LINK_DOMAINS: value }),
    });
    expect(runLinkDomains).toEqual(domains);
  });

  it('selects Socket Mode without a port if there is an app token', () => {
    const config = readBotConfig(complete);
    expect(config.slack.delivery).toEqual({ mode: 'socket', appToken: 'xapp-1' });
    expect(config.health).toBeUndefined();
    expect(config.databaseUrl).toBe('sqlite:./data/slash-agent.db');
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
