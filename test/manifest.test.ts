import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import {
  hasSharedData,
  readSharedJson,
  whySkipped,
} from '../packages/slack-stand-in/test/support/shared-data.ts';
import { slackManifestProblems } from './manifest/slack-manifest-schema.ts';

const manifestSchema = z.object({
  features: z.object({
    slash_commands: z.array(z.object({ command: z.string() })).default([]),
    shortcuts: z.array(z.object({ callback_id: z.string() })).default([]),
  }),
  functions: z.record(z.string(), z.unknown()).default({}),
  oauth_config: z.object({ scopes: z.object({ bot: z.array(z.string()) }) }),
  settings: z.object({ event_subscriptions: z.object({ bot_events: z.array(z.string()) }) }),
});

const raw: unknown = parse(readFileSync(new URL('../manifest.yml', import.meta.url), 'utf8'));
const manifest = manifestSchema.parse(raw);

const slackFolder = fileURLToPath(new URL('../src/slack/', import.meta.url));
const source = readdirSync(slackFolder, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => readFileSync(slackFolder + name, 'utf8'))
  .join('\n');

const found = (pattern: RegExp) =>
  [...new Set([...source.matchAll(pattern)].map((match) => match[1] ?? ''))].sort();
const listened = (kind: string) => found(new RegExp(`app\\.${kind}\\(\\s*'([^']+)'`, 'g'));
const calledMethods = found(/client\.((?:[a-z]+[A-Z]?[a-z]*\.)+[a-zA-Z]+)\(/g);

describe('manifest.yml and the code', () => {
  it('have the same commands', () => {
    expect(manifest.features.slash_commands.map(({ command }) => command).sort()).toEqual(
      listened('command'),
    );
  });

  it('have the same shortcuts', () => {
    const declared = manifest.features.shortcuts.map((shortcut) => shortcut.callback_id).sort();
    expect(declared).toEqual(listened('shortcut'));
  });

  it('have the same workflow steps', () => {
    expect(Object.keys(manifest.functions).sort()).toEqual(listened('function'));
  });

  it.each(['channels', 'groups', 'im', 'mpim'])('let the app read %s', (kind) => {
    const { bot } = manifest.oauth_config.scopes;
    expect(bot).toEqual(expect.arrayContaining([`${kind}:history`, `${kind}:read`]));
  });

  it('have the same events', () => {
    // Bolt listens to `function_executed` itself for every function.
    const events = manifest.settings.event_subscriptions.bot_events.filter(
      (event) => event !== 'function_executed',
    );
    // One listener handles `message.im` and similar events.
    const names = new Set(events.map((event) => event.replace(/^message\..*/, 'message')));
    const stored = [...source.matchAll(/app\.takeEvents\(\[([^\]]+)\]/g)].flatMap(([, list = '']) =>
      [...list.matchAll(/'([^']+)'/g)].map(([, name = '']) => name),
    );
    // Slack adds the channel in view to messages only if the app subscribes to this event.
    const handled = new Set([...listened('event'), ...stored, 'app_context_changed']);
    expect([...names].sort()).toEqual([...handled].sort());
  });
});

/** Scopes that a method needs only in some places. */
const beyondMethods: Record<string, string> = {
  commands: 'slash commands and shortcuts',
  'app_mentions:read': 'hearing of mentions: the collected list of events names no scope for it',
  'chat:write.public': 'posting in public channels without being invited',
};

const methodSchema = z.object({
  scope: z.union([z.literal('none'), z.object({ bot: z.array(z.string()).optional() })]).optional(),
});
function scopesOf(method: string): string[] {
  const { scope } = methodSchema.parse(readSharedJson(`slack/methods/${method}.json`));
  return (scope === 'none' ? undefined : scope?.bot) ?? [];
}
const eventsSchema = z.array(
  z.object({ name: z.string(), scopes: z.array(z.string()).optional() }),
);
const eventScopes = () =>
  new Map(
    eventsSchema
      .parse(readSharedJson('slack/events.json'))
      .map(({ name, scopes }) => [name, scopes ?? []]),
  );

describe.skipIf(!hasSharedData)(
  `manifest.yml and Slack (${hasSharedData ? 'checked' : whySkipped})`,
  () => {
    it("fits Slack's published schema", () => {
      expect(slackManifestProblems(raw)).toEqual([]);
    });

    it('declares a scope for every Web API method that is called', () => {
      expect(calledMethods.length).toBeGreaterThan(5);
      const unserved = calledMethods.filter((method) => {
        const scopes = scopesOf(method);
        return (
          scopes.length > 0 &&
          !scopes.some((scope) => manifest.oauth_config.scopes.bot.includes(scope))
        );
      });
      expect(unserved).toEqual([]);
    });

    it('declares only scopes that are needed', () => {
      const events = eventScopes();
      const needed = new Set([
        ...Object.keys(beyondMethods),
        ...calledMethods.flatMap(scopesOf),
        ...manifest.settings.event_subscriptions.bot_events.flatMap(
          (event) => events.get(event) ?? [],
        ),
      ]);
      expect(manifest.oauth_config.scopes.bot.filter((scope) => !needed.has(scope))).toEqual([]);
    });

    it('subscribes to events that exist', () => {
      const events = eventScopes();
      const unknown = manifest.settings.event_subscriptions.bot_events.filter(
        (event) => !events.has(event),
      );
      expect(unknown).toEqual([]);
    });
  },
);
