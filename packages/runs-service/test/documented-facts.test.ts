import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { serviceCreateSchema } from '../src/api/runs/create-request.ts';
import { listQuerySchema } from '../src/api/runs/read-list-query.ts';
import { serviceScheduleSchema } from '../src/api/schedules/schedule-request.ts';
import { serviceEnvironmentSchema } from '../src/environments/environments.ts';
import { modelApis, providerSchema } from '../src/environments/models-config.ts';
import { readEnvironments } from '../src/environments/read-environments.ts';
import { harnesses } from '../src/harnesses/agent-command.ts';
import { usualModelVariables } from '../src/harnesses/model-input.ts';
import { maxSchedules } from '../src/store/schedules.ts';
import { temporaryFolder } from './support/runs-service.ts';

const page = (name: string) =>
  readFileSync(new URL(`../../../docs/${name}.md`, import.meta.url), 'utf8');

/** Values in the first column of the table that begins with this header. */
function firstColumn(text: string, header: string): string[] {
  const [, table = ''] = text.split(`| \`${header}\` `);
  const rows = table.split('\n\n')[0]?.split('\n').slice(2) ?? [];
  return rows.flatMap((row) => /^\| `([^`]+)`/.exec(row)?.[1] ?? []);
}

/** YAML blocks of a page. Members of an environment are put into one. */
const yamlBlocks = (name: string) =>
  [...page(name).matchAll(/^( *)```yaml\n([\s\S]*?)^ *```$/gm)].map(
    ([, indent = '', text = '']) => {
      const content = parse(text.replaceAll(new RegExp(`^${indent}`, 'gm'), ''));
      if ('environments' in content) return content;
      const environment = { id: 'one', repositories: [{ url: '/r' }], command: ['x'], ...content };
      return { environments: [environment] };
    },
  );

it.each([
  ['environments', 1],
  ['sandbox', 2],
  ['agent-commands', 3],
  ['publishing', 1],
  ['remote-runs', 1],
])('docs/%s.md shows YAML that the service accepts', (name, count) => {
  const blocks = yamlBlocks(name);
  expect(blocks).toHaveLength(count);
  for (const block of blocks) {
    const file = join(temporaryFolder(), 'environments.yml');
    writeFileSync(file, JSON.stringify(block));
    expect(readEnvironments(file)).toHaveLength(1);
  }
});

describe('docs/sandbox.md', () => {
  const { isolation, mcp } = serviceEnvironmentSchema.shape;
  it.each([
    ['isolation', isolation.unwrap().options],
    ['mcp', mcp.unwrap().options],
  ])('explains every value of `%s`', (name, options) => {
    expect(firstColumn(page('sandbox'), name).toSorted()).toEqual([...options].toSorted());
  });
});

describe('docs/environments.md', () => {
  it.each(Object.entries(harnesses))('shows the default arguments of %s', (name, harness) => {
    const [, known = ''] = page('environments').split('\n## Known agents\n');
    const row = known.split('\n').find((line) => line.startsWith(`| \`${name}\` `));
    for (const argument of [...harness.sandboxedArguments, ...harness.carefulArguments])
      expect(row).toContain(`\`${argument}\``);
  });
});

describe('the models in docs/environments.md', () => {
  const [, section = ''] = page('environments').split('\n## Models\n');

  it('explain every member of a provider', () => {
    const examples = [...section.matchAll(/^\| `(\w+): .*?` +\|/gm)].map(([, name]) => name);
    expect(examples.toSorted()).toEqual(Object.keys(providerSchema.shape).toSorted());
  });

  it('name what known agents get', () => {
    const known = Object.entries(harnesses).map(([name]) => name);
    expect(firstColumn(section, 'harness')).toEqual([...known, 'acp']);
  });
});

describe('docs/agent-commands.md', () => {
  it('names the variables of the model gateway', () => {
    const models = {
      address: 'http://127.0.0.1:3129',
      token: 'sam_x',
      providers: modelApis.map((api) => ({ name: api, api })),
    };
    const { NO_PROXY: _, no_proxy: __, ...usual } = usualModelVariables(models, {});
    const [, section = ''] = page('agent-commands').split('\n## Models\n');
    const rows = section.split('\n## ')[0] ?? '';
    expect(new Set(rows.match(/\b(?:ANTHROPIC|OPENAI|GOOGLE|GEMINI)_(?!HOST)[A-Z_]+/g))).toEqual(
      new Set(Object.keys(usual)),
    );
  });

  it('lists every variable that a command gets', () => {
    const folder = new URL('../src/execution/', import.meta.url);
    const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => readFileSync(new URL(name, folder), 'utf8'));
    const namesIn = (text: string) => new Set(text.match(/\bAGENT_[A-Z_]+/g));
    expect(namesIn(page('agent-commands'))).toEqual(namesIn(sources.join('\n')));
  });
});

describe('docs/runs-api.md', () => {
  it('lists every member of a new run that can have a choice of values', () => {
    const single = ['mode', 'interactive', 'team'];
    const members = Object.keys(serviceCreateSchema.shape).filter((name) => !single.includes(name));
    const [, table = ''] = page('runs-api').split('| member ');
    const listed = [...(table.split('\n\n')[0] ?? '').matchAll(/^\| `(\w+)`/gm)];
    expect(listed.map(([, name]) => name).toSorted()).toEqual(members.toSorted());
  });

  it('lists every member of a schedule that can have a choice of values', () => {
    const members = Object.keys(serviceScheduleSchema.shape);
    const [, section = ''] = page('runs-api').split('\n## Schedules\n');
    const [, table = ''] = section.split('| member ');
    const listed = [...(table.split('\n\n')[0] ?? '').matchAll(/^\| `(\w+)`/gm)];
    expect([...listed.map(([, name]) => name), 'mode', 'team'].toSorted()).toEqual(
      members.toSorted(),
    );
    expect(section).toContain(`An owner can have ${maxSchedules} schedules.`);
  });

  it('shows limits that the service accepts', () => {
    const [, text = ''] =
      /`limits` has an effect[^`]*`models`[\s\S]*?```json\n([\s\S]*?)```/.exec(page('runs-api')) ??
      [];
    const limits: unknown = JSON.parse(text);
    const { shape } = serviceCreateSchema.shape.limits.unwrap();
    expect(serviceCreateSchema.parse({ prompt: 'x', limits }).limits).toEqual(limits);
    expect(Object.keys(limits as object).toSorted()).toEqual(Object.keys(shape).toSorted());
  });

  it('names every filter of lists', () => {
    const named = page('runs-api');
    const filters = Object.keys(listQuerySchema.shape);
    const isNamed = (name: string) => new RegExp(`[\`?&]${name}\\b`).test(named);
    expect(filters.filter((name) => !isNamed(name))).toEqual(['config_name']);
  });
});
