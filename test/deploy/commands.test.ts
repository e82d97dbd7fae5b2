import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { commands } from '../../src/bin/commands.ts';

const read = (file: string) => readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');

/** Commands and arguments that containers pass to the entry point of the image. */
const started = (file: string) =>
  [...read(file).matchAll(/^ *(?:CMD|command:|args:) \["?([\w-]+)"?\]$/gm)].map(([, name]) => name);

it.each([
  ['Dockerfile', ['start']],
  ['deploy/compose.yml', ['runs-service']],
  ['deploy/kubernetes/bot.yaml', ['start']],
  ['deploy/kubernetes/runs-service.yaml', ['runs-service']],
  ['deploy/helm/slash-agent/templates/bot.yaml', ['start']],
  ['deploy/helm/slash-agent/templates/runs-service.yaml', ['runs-service']],
])('%s starts a command that exists', (file, names) => {
  expect(started(file)).toEqual(names);
  expect(Object.keys(commands)).toEqual(expect.arrayContaining(names));
  expect(read('Dockerfile')).toContain('\nENTRYPOINT ["tini", "--", "slash-agent"]\n');
});
