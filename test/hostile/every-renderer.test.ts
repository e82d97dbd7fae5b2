import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));

function readFolder(folder: string): { file: string; source: string }[] {
  return readdirSync(root + folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => ({
      file: `${folder}${name}`,
      source: readFileSync(`${root}${folder}${name}`, 'utf8'),
    }));
}

const sources = readFolder('src/slack/');
/** Tests that validate what renderers return for hostile texts. */
const validating = [...readFolder('test/slack/'), ...readFolder('test/hostile/')].filter(
  ({ source }) => /\bvalidate(Message|View)\(/.test(source),
);

const declaration = /^export (?:function|const) (\w+)[\s\S]*?(?:\{$|=> |= \{|= \[|;$)/gm;
/** Returns true if a function renders something that people see, by its name or its return type. */
const isDrawn = (name: string, head: string) =>
  name.startsWith('render') ||
  /\): (ModalView|HomeView|KnownBlock\[\]|MentionAnswer|RunMessage)\b|: MentionAnswer =/.test(head);

const renderers = sources.flatMap(({ file, source }) =>
  [...source.matchAll(declaration)]
    .map(([head, name = '']) => ({ file, source, name, head }))
    .filter(({ name, head }) => isDrawn(name, head)),
);

const uses = (source: string, name: string) =>
  (source.match(new RegExp(`\\b${name}\\b`, 'g')) ?? []).length;

/** Finds renderers that such a test calls, and the renderers that those call. */
function findValidated(): Set<string> {
  const validated = new Set(
    renderers
      .filter(({ name }) => validating.some(({ source }) => uses(source, name) > 0))
      .map(({ name }) => name),
  );
  for (let known = -1; known < validated.size; ) {
    known = validated.size;
    for (const part of renderers) {
      const isPart = renderers.some(
        (whole) =>
          validated.has(whole.name) &&
          uses(whole.source, part.name) > (whole.file === part.file ? 1 : 0),
      );
      if (isPart) validated.add(part.name);
    }
  }
  return validated;
}

describe('everything that draws for people', () => {
  it('is drawn from hostile texts and held to what Slack takes', () => {
    const validated = findValidated();
    const forgotten = renderers.filter(({ name }) => !validated.has(name));
    expect(forgotten.map(({ file, name }) => `${name} in ${file}`)).toEqual([]);
  });

  it('is found at all, forms and tabs that are written out included', () => {
    expect(renderers.length).toBeGreaterThan(30);
    const files = new Set(renderers.map(({ file }) => file));
    const writtenOut = sources.filter(({ source }) => /type: '(modal|home)',/.test(source));
    expect(writtenOut.map(({ file }) => file).filter((file) => !files.has(file))).toEqual([]);
  });
});
