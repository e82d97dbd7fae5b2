import { describe, expect, it } from 'vitest';
import { defused, renderTemplate, templateProblem } from '../../src/automations/template.ts';

const date = '2026-11-27';
const render = (template: string, payload: unknown) => renderTemplate(template, { payload, date });

describe('prompt templates', () => {
  it('replaces references with values', () => {
    const payload = {
      issue: { title: 'Crash', number: 7, labels: [{ name: 'a' }, { name: 'b' }] },
    };
    expect(
      render('Fix #{{ payload.issue.number }} {{payload.issue.title}} {{ date }}', payload).text,
    ).toBe('Fix #7 Crash 2026-11-27');
    expect(render('{{ payload.issue.labels.name }}', payload).text).toBe('a, b');
    const message = { text: 'Down', author: 'Pager', link: 'https://x.slack.com/p1' };
    expect(renderTemplate('{{ message.author }}: {{ message.text }}', { message, date }).text).toBe(
      'Pager: Down',
    );
  });

  it('leaves unknown values empty and names each once', () => {
    expect(
      render('[{{ payload.a.b }}{{ payload.a.b }}{{ payload.c }}{{ date.x }}]', { a: {} }),
    ).toEqual({
      text: '[]',
      unknown: ['payload.a.b', 'payload.c', 'date.x'],
    });
    expect(render('{{ payload.list }}{{ payload.null }}', { list: [{}], null: null }).text).toBe(
      '',
    );
    expect(render('{{ payload.constructor.name }}', {}).text).toBe('');
  });

  it('keeps references in values as text', () => {
    expect(render('{{ payload.a }}', { a: '{{ payload.b }}', b: 'secret' }).text).toBe(
      '{{ payload.b }}',
    );
    expect(render('{{ payload.a }}', { a: '$& $1 $$' }).text).toBe('$& $1 $$');
  });

  it('puts a value on one readable line of at most 500 characters', () => {
    const a = `x\r\n\u2028y\u0000\u202e z${'é'.repeat(600)}`;
    const { text } = render('{{ payload.a }}', { a });
    expect(text).toMatch(/^x y zé+…$/);
    expect([...text]).toHaveLength(500);
  });

  it('masks secrets, also one that starts before the cut', () => {
    const key = `ghp_${'a'.repeat(36)}`;
    const { text } = render('{{ payload.a }} {{ payload.b }} {{ payload.c }}', {
      a: key,
      b: `${'x'.repeat(490)} ${key}`,
      c: key,
    });
    expect(text).not.toContain('ghp_');
    expect(text).toMatch(/^\[masked secret 1\] .*\[masked secret 1\]$/);
  });

  it('masks what only its name calls a secret', () => {
    const a = { password: 'correct horse', keys: [{ api_key: 'k1k1k1' }, { api_key: '' }] };
    expect(render('{{ payload.a.password }}; {{ payload.a.keys.api_key }}', { a }).text).toBe(
      '[masked secret 1]; [masked secret 2],',
    );
    expect(render('{{ payload.password.0 }}', { password: ['hunter2hunter2'] }).text).toBe(
      '[masked secret 1]',
    );
  });

  it('leaves other templates in a prompt alone', () => {
    const text = `Replace \${{ github.ref }}, {{ .Values.image }}, {{ user.name }}, {{ dates }}, {{{x}}} and {{}}`;
    expect(render(text, {})).toEqual({ text, unknown: [] });
    expect(templateProblem(text, 'webhook')).toBe(undefined);
  });

  it.each([
    ['schedule', 'Check {{ date }}', undefined],
    [
      'schedule',
      '{{ payload.a }}',
      /“{{ payload.a }}” isn't a value of this trigger. It has {{ date }}/,
    ],
    ['webhook', '{{ payload.a.b }} {{ date }}', undefined],
    ['webhook', '{{ payload }}', /isn't a value/],
    ['webhook', '{{ date.year }}', /“{{ date.year }}” isn't a value/],
    ['webhook', '{{ payload.labels[0].name }}', /“{{ payload.labels\[0\]/],
    ['webhook', '{{ payload.a', /isn't a value/],
    ['message', '{{ message.text }}', undefined],
    ['message', '{{ message.blocks }}', /isn't a value/],
    ['reaction', '{{ payload.a }}', /isn't a value/],
    ['webhook', Array.from({ length: 51 }, (_, n) => `{{ payload.a${n} }}`).join(), /at most 50/],
  ] as const)('checks the values of a %s: %s', (kind, template, problem) => {
    const found = templateProblem(template, kind);
    if (problem === undefined) expect(found).toBe(undefined);
    else expect(found).toMatch(problem);
  });
});

describe('defused titles', () => {
  const joiner = '\u2060';

  it('have no addresses and mentions', () => {
    expect(defused('https://evil.example WWW.evil.example @here @Channel: a')).toBe(
      `https:${joiner}//evil.example WWW${joiner}.evil.example @${joiner}here @${joiner}Channel: a`,
    );
  });

  it('leave other text as it is', () => {
    const text = 'Fix @types/node in app.tsx: a/b, hereafter ada@hereford.example';
    expect(defused(text)).toBe(text);
  });
});
