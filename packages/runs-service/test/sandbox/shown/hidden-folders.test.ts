import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { hiddenFolders } from '../../../src/sandbox/shown-paths.ts';
import { temporaryFolder } from '../../support/runs-service.ts';

/** Makes programs and links in a folder: a value that begins with `->` is the target of a link. */
function install(files: Record<string, string>) {
  const root = temporaryFolder();
  for (const [name, content] of Object.entries(files)) {
    const file = join(root, name);
    mkdirSync(dirname(file), { recursive: true });
    const target = /^->(.*)/.exec(content)?.[1];
    if (target === undefined) writeFileSync(file, content, { mode: 0o755 });
    else symlinkSync(target.replace('ROOT', root), file);
  }
  return (program: string, path: readonly string[], shown: readonly string[] = []) => {
    const searchPath = path.map((each) => join(root, each)).join(':');
    const mounts = { read_only: shown.map((each) => join(root, each)) };
    return hiddenFolders(program.replace('ROOT', root), searchPath, mounts)?.map((each) =>
      each.replace(`${root}/`, ''),
    );
  };
}

const nvm = {
  'local/bin/claude': '->ROOT/nvm/v22/bin/claude',
  'nvm/v22/bin/claude': '->../lib/node_modules/@anthropic-ai/claude-code/cli.js',
  'nvm/v22/lib/node_modules/@anthropic-ai/claude-code/cli.js': '#!/usr/bin/env node\n',
};

it('a link into an installation with a lib folder needs the installation', () => {
  const find = install(nvm);
  expect(find('claude', ['local/bin'])).toEqual(['local/bin', 'nvm/v22']);
  expect(find('claude', ['local/bin'], ['local'])).toEqual(['nvm/v22']);
  expect(find('claude', ['local/bin'], ['local', 'nvm'])).toEqual([]);
});

it('each folder on the way is needed, with the one of a package', () => {
  const find = install({
    'local/bin/claude': '->ROOT/apps/links/claude',
    'apps/links/claude': '->../packages/node_modules/claude/bin/cli',
    'apps/packages/node_modules/claude/bin/cli': 'ELF',
  });
  const folders = ['apps/links', 'apps/packages/node_modules'];
  expect(find('claude', ['local/bin'], ['local'])).toEqual(folders);
  expect(find('claude', ['local/bin'], ['local', ...folders])).toEqual([]);
  expect(find('claude', ['local/bin'], ['local', 'apps/links'])).toEqual([folders[1]]);
});

it('the folders of a home are never needed as a whole', () => {
  const find = install({
    '.local/bin/claude': '->../share/claude/versions/1.0',
    '.local/share/claude/versions/1.0': 'ELF',
    '.local/lib/x': '',
  });
  expect(find('claude', ['.local/bin'])).toEqual(['.local/bin', '.local/share/claude/versions']);
});

it('a folder that is a link is followed', () => {
  const find = install({ 'shown/current': '->ROOT/versions/2', 'versions/2/agent': 'ELF' });
  expect(find('agent', ['shown/current'], ['shown'])).toEqual(['versions/2']);
  expect(find('agent', ['shown/current'], ['shown', 'versions'])).toEqual([]);
});

it('the interpreter of a script is needed, too', () => {
  const find = install({
    ...nvm,
    'shown/named': '#!/usr/bin/env -S runner --quiet\n',
    'tools/runner': 'ELF',
    'shown/system': '#!/bin/sh\n',
    'shown/circle': '#!/usr/bin/env circle\n',
  });
  expect(find('named', ['shown', 'tools'], ['shown'])).toEqual(['tools']);
  expect(find('named', ['shown', 'tools'], ['shown', 'tools'])).toEqual([]);
  expect(find('system', ['shown'], ['shown'])).toEqual([]);
  expect(find('circle', ['shown'], ['shown'])).toEqual([]);
});

it('another one of the same name that agents see is enough', () => {
  const find = install({ 'hidden/agent': 'ELF', 'shown/agent': 'ELF' });
  expect(find('agent', ['hidden', 'shown'], ['shown'])).toEqual([]);
  expect(find('agent', ['hidden', 'shown'])).toEqual(['hidden']);
  expect(find('ROOT/hidden/agent', ['shown'], ['shown'])).toEqual(['hidden']);
});

it('nothing is known of a program of the checkout, one that is missing, and links in a circle', () => {
  const find = install({ 'shown/a': '->b', 'shown/b': '->a' });
  expect(find('./agent.sh', ['shown'])).toBeUndefined();
  expect(find('no-such-agent', ['shown'])).toBeUndefined();
  expect(find('a', ['shown'])).toBeUndefined();
});
