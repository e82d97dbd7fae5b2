import { describe, expect, it } from 'vitest';
import { parseAgentCommand } from '../../../src/slack/agent-command/parse-agent-command.ts';

const start = (prompt: string, more: object = {}) => ({
  kind: 'start',
  prompt,
  options: {},
  places: expect.any(Object),
  atOnce: false,
  dryRun: false,
  ...more,
});

describe('/agent as it is typed', () => {
  it.each<[string, object]>([
    ['', start('')],
    ['   ', start('')],
    ['count the TODO comments', start('count the TODO comments')],
    ['run count them', start('count them', { atOnce: true })],
    ['RUN count them', start('count them', { atOnce: true })],
    ['run', start('')],
    ['run list the files', start('list the files', { atOnce: true })],
    ['run run', start('run', { atOnce: true })],
    ['running late', start('running late')],
    ['env=shell fix it', start('fix it', { options: { env: 'shell' } })],
    ['run env=shell fix it', start('fix it', { options: { env: 'shell' }, atOnce: true })],
    ['ENV=shell x', start('x', { options: { env: 'shell' } })],
    ['title="Two words" go', start('go', { options: { title: 'Two words' } })],
    ['title=“Two words” go', start('go', { options: { title: 'Two words' } })],
    ['title=„Zwei Wörter“ go', start('go', { options: { title: 'Zwei Wörter' } })],
    ['title=‘it’s here’ go', start('go', { options: { title: 'it’s here' } })],
    ["title='it's here' go", start('go', { options: { title: "it's here" } })],
    ['title="say \\"hi\\" now" go', start('go', { options: { title: 'say "hi" now' } })],
    ['title=“say \\\\” go', start('go', { options: { title: 'say \\' } })],
    ['title="a\nb" go', start('go', { options: { title: 'a\nb' } })],
    [
      'env=a model=b name=c skill=o/r:s preset=p title=t do',
      start('do', {
        options: {
          env: 'a',
          model: 'b',
          name: 'c',
          skill: 'o/r:s',
          preset: 'p',
          title: 't',
        },
      }),
    ],
    ['--dry-run env=a fix', start('fix', { options: { env: 'a' }, dryRun: true })],
    ['run fix --dry-run', start('fix', { atOnce: true, dryRun: true })],
    ['run fix —dry-run', start('fix', { atOnce: true, dryRun: true })],
    ['run fix --dry-run first', start('fix --dry-run first', { atOnce: true })],
    ['run -- fix --dry-run', start('fix --dry-run', { atOnce: true })],
    ['run fix the--dry-run', start('fix the--dry-run', { atOnce: true })],
    ['env=a --dry-run', start('', { options: { env: 'a' }, dryRun: true })],
    ['—dry-run fix', start('fix', { dryRun: true })],
    ['run -- env=x is broken', start('env=x is broken', { atOnce: true })],
    ['-- list the files', start('list the files')],
    ['fix env=x in the file', start('fix env=x in the file')],
    ['https://example.com/?a=b is down', start('https://example.com/?a=b is down')],
    ['a==b fails', start('a==b fails')],
    ['👍=1 is no option', start('👍=1 is no option')],
    ['line one\nline two', start('line one\nline two')],
    ['list', { kind: 'list', creator: 'mine', state: undefined }],
    ['list all failed', { kind: 'list', creator: 'all', state: 'FAILED' }],
    ['list failed all', { kind: 'list', creator: 'all', state: 'FAILED' }],
    ['list @ada', { kind: 'list', creator: '@ada', state: undefined }],
    ['list queued', { kind: 'list', creator: 'mine', state: 'QUEUED' }],
    ['show 3f9a', { kind: 'show', run: '3f9a' }],
    ['cancel 3f9a', { kind: 'cancel', run: '3f9a' }],
    ['settings', { kind: 'settings' }],
    ['presets', { kind: 'presets' }],
    ['Help', { kind: 'help' }],
  ])('%j', (typed, command) => {
    expect(parseAgentCommand(typed)).toEqual(command);
  });
});

describe('the place of an option', () => {
  it.each<[string, object]>([
    ['go', {}],
    ['skill=nothing go', { skill: 7 }],
    ['run env=a preset="no such" go', { env: 9, preset: 18 }],
    ['title="👍👍" name=mine go', { title: 7, name: 17 }],
  ])('%j is where its value begins', (typed, places) => {
    expect(parseAgentCommand(typed)).toEqual(expect.objectContaining({ places }));
  });
});

describe('a mistake in /agent', () => {
  it.each<[string, RegExp, number]>([
    ['envv=a fix', /option `envv=`/, 1],
    ['env=a color=red fix', /option `color=`/, 7],
    ['env=a env=b fix', /`env=` is set twice/, 7],
    ['env= fix', /`env=` has no value/, 1],
    ['title="" fix', /`title=` has no value/, 1],
    ['title="👍👍" env=a env=b', /`env=` is set twice/, 18],
    ['env=a title="never closed', /closing quote for " is missing/, 13],
    ['title=“curly never closed', /closing quote for “ is missing/, 7],
    ['--wet-run fix', /no option `--wet-run`/, 1],
    ['list the files in src', /`\/agent run list …`/, 10],
    ['show', /Which run\?/, 5],
    ['show me the way', /takes one run/, 9],
    ['cancel', /Which run\?/, 7],
    ['help me', /takes no arguments/, 6],
    ['settings now', /takes no arguments/, 10],
  ])('%j is said with its place', (typed, problem, at) => {
    const command = parseAgentCommand(typed);
    expect(command).toMatchObject({ kind: 'mistake', at });
    expect(command.kind === 'mistake' && command.problem).toMatch(problem);
  });
});
