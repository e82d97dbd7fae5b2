import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readYamlFile } from 'base/files/read-yaml-file';
import { expect, it } from 'vitest';
import type { Automation, Definition } from '../../src/automations/automation.ts';
import {
  compareWithFile,
  describeChanges,
  writeAutomationsFile,
} from '../../src/automations/file/compare-file.ts';
import { automationsFileSchema, definitionOf } from '../../src/automations/file/file-entry.ts';

const definition: Definition = {
  trigger: { kind: 'schedule', cron: '0 9 * * 1-5', timeZone: 'Europe/Berlin', overlap: 'queue' },
  prompt: 'Check the dependencies.\nSay which are old.',
  title: '',
  preset: 'channel:review',
  config: { environment_id: 'shop' },
  show: 'thread',
  startsPerHour: 20,
  activeRuns: 3,
};

const automation = (more: Partial<Automation> = {}): Automation => ({
  id: 'a1',
  teamId: 'T01',
  ownerId: 'U0ADA',
  channelId: 'C0SHOP',
  name: 'Dependencies',
  definition,
  pause: null,
  nextAt: 1,
  failedStarts: 0,
  createdAt: 1,
  changedAt: 1,
  changedBy: 'U0ADA',
  revision: 0,
  ...more,
});

function read(text: string) {
  const file = join(mkdtempSync(join(tmpdir(), 'slash-agent-')), 'automations.yml');
  writeFileSync(file, text);
  return readYamlFile(file, 'automations file', automationsFileSchema).automations;
}

const shortest = (trigger: string, more = '') => `automations:
  - { workspace: T01, channel: C0SHOP, name: Alerts, owner: U0ADA, prompt: Look, trigger: ${trigger}${more} }
`;

it.each<[string, Definition['trigger']]>([
  ['a schedule', definition.trigger],
  [
    'a webhook',
    {
      kind: 'webhook',
      sender: 'github',
      filter: [
        [
          { field: 'action', is: 'equals', text: 'opened' },
          { field: 'action', is: 'equals', text: 'reopened' },
        ],
        [{ field: 'issue.title', is: 'contains', text: 'crash' }],
      ],
    },
  ],
  ['a message', { kind: 'message', text: '*down*', people: [], bots: ['B0ALERT'], onlyBots: true }],
  ['a reaction', { kind: 'reaction', emoji: 'eyes' }],
])('reads %s as it was exported', (_, trigger) => {
  const stored = automation({ definition: { ...definition, trigger } });
  const entries = read(writeAutomationsFile([stored]));
  const [entry] = entries;
  expect(entry && definitionOf(entry, undefined)).toEqual(stored.definition);
  expect(compareWithFile(entries, [stored])).toEqual({
    created: [],
    changed: [],
    unchanged: 1,
    others: [],
  });
});

it('reads the example of the documentation', () => {
  const page = readFileSync(new URL('../../docs/automations.md', import.meta.url), 'utf8');
  const [, example = ''] = /```yaml\n([\s\S]*?)```/.exec(page) ?? [];
  expect(read(example).map(({ name, paused }) => [name, paused])).toEqual([
    ['Dependencies', undefined],
  ]);
});

it('exports what people can read and change', () => {
  expect(writeAutomationsFile([automation()])).toBe(`automations:
  - workspace: T01
    channel: C0SHOP
    name: Dependencies
    owner: U0ADA
    trigger:
      kind: schedule
      cron: 0 9 * * 1-5
      time_zone: Europe/Berlin
      overlap: queue
    prompt: |-
      Check the dependencies.
      Say which are old.
    preset: channel:review
    config:
      environment_id: shop
    show: thread
    starts_per_hour: 20
    active_runs: 3
`);
});

it('shows what a file changes, creates and leaves', () => {
  const alerts = automation({
    id: 'a2',
    name: 'Alerts',
    pause: { code: 'person', sentence: '', by: 'U0ADA', at: 1 },
    definition: { ...definition, prompt: 'Look', preset: null },
  });
  const entries = read(
    `${shortest('{ kind: reaction, emoji: eyes }')}  - { workspace: T01, channel: C0SHOP, name: New, owner: U0ADA, prompt: Do, trigger: { kind: webhook, sender: bearer } }
`,
  );
  expect(describeChanges(compareWithFile(entries, [automation(), alerts]))).toEqual([
    'create "New" in C0SHOP of T01',
    '  owner: "U0ADA"',
    '  trigger.kind: "webhook"',
    '  trigger.sender: "bearer"',
    '  prompt: "Do"',
    '  show: "message"',
    '  starts_per_hour: 20',
    '  active_runs: 3',
    '  paused: false',
    'change "Alerts" in C0SHOP of T01',
    '  trigger.kind: "schedule" → "reaction"',
    '  trigger.cron: "0 9 * * 1-5" → (none)',
    '  trigger.time_zone: "Europe/Berlin" → (none)',
    '  trigger.overlap: "queue" → (none)',
    '  config.environment_id: "shop" → (none)',
    '  show: "thread" → "message"',
    '  trigger.emoji: (none) → "eyes"',
    'leave  "Dependencies" in C0SHOP of T01, which isn\'t in the file',
    '1 to create, 1 to change, 0 unchanged',
  ]);
});

it('changes a pause only if the file says so', () => {
  const paused = automation({ pause: { code: 'owner', sentence: '', by: 'system', at: 1 } });
  const [entry] = read(writeAutomationsFile([automation()]));
  if (!entry) throw new Error('nothing was exported');
  expect(compareWithFile([entry], [paused]).unchanged).toBe(1);
  expect(compareWithFile([{ ...entry, paused: false }], [paused]).changed[0]?.differences).toEqual([
    'paused: true → false',
  ]);
});

it('never writes MCP servers, and keeps those that are stored', () => {
  const servers = { docs: { url: 'https://mcp.example.com', headers: { authorization: 'key' } } };
  const config = { environment_id: 'shop', mcp_servers: servers };
  const stored = automation({ definition: { ...definition, config } });
  const text = writeAutomationsFile([stored]);
  expect(text).not.toContain('mcp');
  const [entry] = read(text);
  expect(entry && definitionOf(entry, stored.definition)).toEqual(stored.definition);
  expect(entry && definitionOf(entry, undefined)).toEqual(definition);
});

it.each([
  [shortest('{ kind: schedule, cron: 0 9 * *, time_zone: UTC }'), /line 2.*cron: it needs five/],
  [shortest('{ kind: schedule, cron: 0 9 * * *, time_zone: Mars }'), /time_zone: must be a time/],
  [shortest('{ kind: schedule, cron: 0 9 * * *, timezone: UTC }'), /line 2.*"timezone"/],
  [shortest('{ kind: email }'), /line 2/],
  [shortest('{ kind: webhook, sender: bearer, filter: action }'), /filter: .*isn't a condition/],
  [
    shortest('{ kind: reaction, emoji: eyes }').replace('Look', '"{{ payload.a }}"'),
    /prompt: .*payload/,
  ],
  [shortest('{ kind: reaction, emoji: eyes }', ', config: { mcp_servers: {} }'), /a preset/],
  [shortest('{ kind: reaction, emoji: eyes }', ', starts_per_hour: 0'), /starts_per_hour/],
  [shortest('{ kind: reaction, emoji: eyes }').replace('U0ADA', 'ada'), /owner: must be the ID/],
  [
    `${shortest('{ kind: reaction, emoji: eyes }')}${shortest('{ kind: reaction, emoji: x }').split('\n')[1]}\n`,
    /line 3.*name: is already in this file/,
  ],
])('names the line and the mistake: %#', (text, mistake) => {
  expect(() => read(text)).toThrow(mistake);
});
