import { readFileSync } from 'node:fs';
import { parseManifest } from 'slack-stand-in/manifest';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import {
  hasSharedData,
  whySkipped,
} from '../../packages/slack-stand-in/test/support/shared-data.ts';
import { manifestText } from '../../src/manifest/manifest-command.ts';
import { slackManifestProblems } from './slack-manifest-schema.ts';

const source: unknown = parse(readFileSync(new URL('../../manifest.yml', import.meta.url), 'utf8'));
const print = (...args: string[]) => parse(manifestText(source, args));
const overHttp = ['--url', 'https://agent.example.org', '--unfurl-domain', 'runs.example.org'];

describe('slash-agent manifest', () => {
  it('prints a manifest for Socket Mode', () => {
    const manifest = print('--unfurl-domain', 'runs.example.org');
    expect(manifest.settings.socket_mode_enabled).toBe(true);
    expect(manifest.features.unfurl_domains).toEqual(['runs.example.org']);
    const { oauth_config: oauth } = print('--sign-in-url', 'https://runs.example.org/');
    expect(oauth.redirect_urls).toEqual(['https://runs.example.org/sign-in/slack/return']);
    expect(JSON.stringify(manifest)).not.toContain('/slack/events');
  });

  it('prints a manifest for HTTP, with the address in every place', () => {
    const manifest = print(...overHttp);
    const address = 'https://agent.example.org/slack/events';
    expect(manifest.settings.socket_mode_enabled).toBe(false);
    expect(manifest.features.slash_commands).toMatchObject([{ command: '/agent', url: address }]);
    expect(manifest.settings.event_subscriptions.request_url).toBe(address);
    expect(manifest.settings.interactivity).toEqual({
      is_enabled: true,
      request_url: address,
      message_menu_options_url: address,
    });
  });

  it.each([
    ['https://agent.example.org/', 'https://agent.example.org/slack/events'],
    ['https://example.org/agent//', 'https://example.org/agent/slack/events'],
  ])('accepts %s', (url, address) => {
    expect(print('--url', url).settings.event_subscriptions.request_url).toBe(address);
  });

  it('changes nothing else and keeps the scopes', () => {
    expect(print()).toEqual(source);
    expect(print(...overHttp).oauth_config).toEqual(print().oauth_config);
  });

  const publicly = ['--install-url', 'https://agent.example.org'];

  it('leaves the step for Workflow Builder out where other companies install the app', () => {
    const { functions, settings } = print(...publicly);
    expect(functions).toBeUndefined();
    expect(settings.function_runtime).toBeUndefined();
    expect(settings.event_subscriptions.bot_events).not.toContain('function_executed');
    expect(settings.org_deploy_enabled).toBe(true);
    expect(print(...publicly, '--own-org')).toMatchObject({
      functions: { run_agent: {} },
      settings: { function_runtime: 'remote', org_deploy_enabled: true },
    });
  });

  it('leaves out what needs a paid plan', () => {
    const { functions, features, oauth_config: oauth, settings } = print('--plain');
    expect(functions ?? features.agent_view ?? settings.org_deploy_enabled).toBeUndefined();
    expect(oauth.scopes.bot).not.toContain('assistant:write');
    const left = print().settings.event_subscriptions.bot_events.filter(
      (event: string) => !settings.event_subscriptions.bot_events.includes(event),
    );
    expect(left).toEqual([
      'agent_session_stopped',
      'app_context_changed',
      'function_executed',
      'team_access_granted',
      'team_access_revoked',
    ]);
  });

  it.each([
    [['--url', 'http://agent.example.org'], 'https URL'],
    [['--url', 'agent.example.org'], 'https URL'],
    [['--url', 'https://agent.example.org/?a=b'], 'https URL'],
    [['--unfurl-domain', 'https://runs.example.org'], 'must be a domain'],
    [['--sign-in-url', 'http://runs.example.org'], 'must be an https URL'],
    [['--unfurl-domain', 'localhost'], 'must be a domain'],
    [Array.from('abcdef', (letter) => `--unfurl-domain=${letter}.example.org`), 'up to 5'],
    [['--own-org'], '--own-org is for --install-url only'],
    [[...publicly, '--plain'], '--plain is for one workspace'],
    [['--domain', 'x'], "Unknown option '--domain'"],
    [['https://agent.example.org'], 'Usage:'],
  ])('rejects %j', (args, problem) => {
    expect(() => manifestText(source, args)).toThrow(problem);
  });

  it.each([
    ['for Socket Mode', []],
    ['for HTTP', overHttp],
    ['for other companies', [...overHttp, ...publicly]],
    ['for its own organization', [...overHttp, ...publicly, '--own-org']],
    ['for a free plan', [...overHttp, '--plain']],
  ])(
    `prints a manifest %s that the local workspace accepts, and Slack's schema (${hasSharedData ? 'checked' : whySkipped})`,
    (_, args) => {
      const manifest = print(...args);
      const { unfurl_domains: domains } = parseManifest(manifest).features;
      expect(domains).toEqual(args.length > 0 ? ['runs.example.org'] : []);
      if (hasSharedData) expect(slackManifestProblems(manifest)).toEqual([]);
    },
  );
});

describe('the local workspace', () => {
  it.each([
    [
      'function_runtime',
      (manifest: ReturnType<typeof print>) => delete manifest.settings.function_runtime,
    ],
    [
      'org_deploy_enabled',
      (manifest: ReturnType<typeof print>) => delete manifest.settings.org_deploy_enabled,
    ],
    [
      'files:read must also be in bot',
      (manifest: ReturnType<typeof print>) => {
        const { scopes } = manifest.oauth_config;
        scopes.bot = scopes.bot.filter((scope: string) => scope !== 'files:read');
      },
    ],
  ])('rejects a manifest without %s', (what, change) => {
    const manifest = print();
    change(manifest);
    expect(() => parseManifest(manifest)).toThrow(what);
  });

  it.each([
    [
      'slash_commands',
      (manifest: ReturnType<typeof print>) => delete manifest.features.slash_commands[0].url,
    ],
    [
      'event_subscriptions',
      (manifest: ReturnType<typeof print>) =>
        delete manifest.settings.event_subscriptions.request_url,
    ],
    [
      'interactivity',
      (manifest: ReturnType<typeof print>) => delete manifest.settings.interactivity.request_url,
    ],
  ])('rejects a manifest for HTTP without an address in %s', (where, remove) => {
    const manifest = print(...overHttp);
    remove(manifest);
    expect(() => parseManifest(manifest)).toThrow(where);
  });
});
