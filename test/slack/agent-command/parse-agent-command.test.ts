import { describe, expect, it } from 'vitest';
import { parseAgentCommand } from '../../../src/slack/agent-command/parse-agent-command.ts';

const start = (prompt: string, more: object = {}) => ({
  kind: 'start',
  prompt,
  options: {},
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
    ['doctor', { kind: 'doctor' }],
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
    ['usage', { kind: 'usage', of: 'me', days: 7 }],
    ['Usage ME 30D', { kind: 'usage', of: 'me', days: 30 }],
    ['usage 30d everyone', { kind: 'usage', of: 'everyone', days: 30 }],
    ['usage @ada', { kind: 'usage', of: '@ada', days: 7 }],
    ['usage #backend 7d', { kind: 'usage', of: '#backend', days: 7 }],
    ['show 3f9a', { kind: 'show', run: '3f9a' }],
    ['cancel 3f9a', { kind: 'cancel', run: '3f9a' }],
    ['settings', { kind: 'settings' }],
    ['presets', { kind: 'presets' }],
    ['Help', { kind: 'help' }],
  ])('%j', (typed, command) => {
    expect(parseAgentCommand(typed)).toEqual(command);
  });
});

describe('a mistake in /agent', () => {
  it.each<[string, RegExp]>([
    ['envv=a fix', /option `envv=`/],
    ['env=a color=red fix', /option `color=`/],
    [`${'x'.repeat(500)}=red fix`, /option `x+…`/],
    ['env=a env=b fix', /`env=` is set twice/],
    ['env= fix', /`env=` has no value/],
    ['title="" fix', /`title=` has no value/],
    ['env=a title="never closed', /closing quote of `title=` is missing/],
    ['title=“curly never closed', /closing quote of `title=` is missing/],
    ['--wet-run fix', /no option `--wet-run`/],
    ['list the files in src', /`\/agent run list …`/],
    ['show', /Which run\?/],
    ['show me the way', /accepts one run/],
    ['cancel', /Which run\?/],
    ['usage 90d', /accepts `me`, `@someone`, `#channel` or `everyone`, and `7d` or `30d`/],
    ['usage 7d 30d', /accepts/],
    ['usage @ada @grace', /accepts/],
    ['usage of memory is too high', /`\/agent run usage …`/],
    ['help me', /accepts no arguments/],
    ['settings now', /accepts no arguments/],
  ])('%j is named', (typed, problem) => {
    expect(parseAgentCommand(typed)).toEqual({
      kind: 'mistake',
      problem: expect.stringMatching(problem),
    });
  });
});
