/** Compares facts in the docs with the code. Other such tests are next to the documented code. */
import { readdirSync, readFileSync } from 'node:fs';
import { checkLoop } from 'base/http/readiness';
import { serviceEnvironmentSchema } from 'runs-service/environments/environments';
import { kubernetesConfigSchema } from 'runs-service/environments/kubernetes-config';
import { publishConfigSchema } from 'runs-service/environments/publish-config';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { environmentExamples } from '../../packages/runs-service/test/support/environment-examples.ts';
import { checks } from '../../src/check-slack/checks.ts';
import { secrets } from '../../src/config/variables.ts';
import { ruleSchema } from '../../src/policy/policy.ts';
import { canTransition, requestSteps } from '../../src/requests/steps.ts';

const packageSchema = z.looseObject({ exports: z.record(z.string(), z.unknown()) });
const root = new URL('../../', import.meta.url);
const read = (file: string) => readFileSync(new URL(file, root), 'utf8');
const allSources = [
  'src/',
  ...['base', 'runs-client', 'runs-service'].map((name) => `packages/${name}/src/`),
]
  .flatMap((folder) =>
    readdirSync(new URL(folder, root), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => read(`${folder}${name}`)),
  )
  .join('\n')
  .replaceAll("\\'", "'");

/** Returns the text under a heading, up to the next one of the same level. */
function section(file: string, title: string): string {
  const [, text = ''] = read(file).split(`## ${title}\n`);
  return text.split('\n## ')[0] ?? '';
}

/** Returns code quotes in the first column of tables. */
const firstColumn = (text: string) =>
  [...text.matchAll(/^\| (.*?[^\\]) *\|/gm)].flatMap(([, cell = '']) =>
    [...cell.matchAll(/`([^`]+)`/g)].map(([, quoted = '']) => quoted),
  );

describe('docs/environments.md', () => {
  it('names every setting', () => {
    const text = read('docs/environments.md');
    const isNamed = (name: string) => new RegExp(`\`${name}\\b|^ *(- )?${name}:`, 'm').test(text);
    const settings = Object.keys(serviceEnvironmentSchema.shape);
    expect(settings.filter((name) => !isNamed(name))).toEqual([]);
  });
});

describe('docs/publishing.md', () => {
  it('names every setting of publishing', () => {
    const text = read('docs/publishing.md');
    const settings = Object.keys(publishConfigSchema.shape);
    expect(settings.filter((name) => !text.includes(`\`${name}\``))).toEqual([]);
  });
});

describe('docs/kubernetes.md', () => {
  it('lists exactly the settings of `kubernetes`', () => {
    const listed = firstColumn(section('docs/kubernetes.md', 'Environments'));
    expect(listed.filter((name) => name !== 'kubernetes').toSorted()).toEqual(
      Object.keys(kubernetesConfigSchema.shape).toSorted(),
    );
  });
});

describe('docs/admin.md', () => {
  it('lists exactly the keys of a rule', () => {
    const listed = firstColumn(section('docs/admin.md', 'Rules'));
    expect(listed.toSorted()).toEqual(Object.keys(ruleSchema.shape).toSorted());
  });
});

describe('docs/configuration.md', () => {
  it('lists exactly the secrets that can come from files', () => {
    const [list = ''] = section('docs/configuration.md', 'Secrets from files').split('can each');
    const listed = [...list.matchAll(/`([A-Z_]+)`/g)].map(([, name]) => name);
    expect(listed.toSorted()).toEqual([...secrets].toSorted());
  });
});

describe('docs/quickstart.md', () => {
  it('has the example of docs/environments.md', () => {
    const [, example = ''] = /```yaml\n(.*?)```/s.exec(read('docs/quickstart.md')) ?? [];
    expect(parse(example)).toEqual(parse(environmentExamples().get('claude') ?? ''));
  });
});

describe('docs/tested.md', () => {
  it('names every check of a real Slack', () => {
    const text = section('docs/tested.md', 'Check a real Slack');
    expect(checks.map(({ id }) => id).filter((id) => !text.includes(`\`${id}\``))).toEqual([]);
  });
});

describe('docs/architecture.md', () => {
  it('draws exactly the moves between steps', () => {
    const drawn = [...read('docs/architecture.md').matchAll(/^ {2}(\w+) --> (\w+):/gm)];
    const moves = requestSteps.flatMap((from) =>
      requestSteps
        .filter((to) => to !== from && canTransition(from, to))
        .map((to) => `${from} ${to}`),
    );
    expect(drawn.map(([, from, to]) => `${from} ${to}`).toSorted()).toEqual(moves.toSorted());
  });
});

describe('the messages that the docs explain', () => {
  const pages = `${read('docs/troubleshooting.md')}\n${read('docs/admin.md')}`;
  const logs = firstColumn(section('docs/runbook.md', 'Log lines'));
  const startup = firstColumn(section('docs/troubleshooting.md', "The bot doesn't start"));
  // Pages have texts of Slack in quotation marks.
  const shown = [...pages.matchAll(/^\| ("[^|]*?) *\|/gm)].flatMap(([, cell = '']) =>
    [...cell.matchAll(/"([^"]+)"/g)].map(([, quoted = '']) => quoted),
  );
  const sentences = [...logs, ...startup, ...shown].filter((text) => /[A-Za-z] [a-z]/.test(text));

  it('are many', () => {
    expect(Math.min(logs.length, startup.length, shown.length)).toBeGreaterThan(10);
  });

  it('include the problems of /readyz', () => {
    const explained = firstColumn(section('docs/runbook.md', 'Is it up?'));
    const [blocked = ''] = checkLoop('the follower', 0);
    expect(explained).toContain(blocked);
    const others = explained.filter((each) => each !== blocked);
    expect(others.filter((each) => !allSources.includes(each))).toEqual([]);
  });

  it('are those of the code', () => {
    const partsOf = (sentence: string) =>
      sentence.split(/\(?…\)?\.?|: /).map((part) => part.trim().replace(/\.$/, ''));
    const unknown = sentences.filter((each) =>
      partsOf(each).some((part) => !allSources.includes(part)),
    );
    expect(unknown).toEqual([]);
  });
});

it.each(['runs-client', 'slack-stand-in'])('the README of %s names every import', (name) => {
  const { exports } = packageSchema.parse(JSON.parse(read(`packages/${name}/package.json`)));
  const imports = Object.keys(exports).map((each) => each.replace('.', name));
  const readme = read(`packages/${name}/README.md`);
  expect(imports.filter((each) => !readme.includes(`\`${each}\``))).toEqual([]);
});
