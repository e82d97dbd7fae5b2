import { describe, expect, it } from 'vitest';
import { maskJson } from '../../src/secrets/mask-json.ts';
import { createMask } from '../../src/secrets/mask-secrets.ts';

const masked = (json: string) => maskJson(json, createMask());
const key = `ghp_${'a'.repeat(36)}`;

describe('masked JSON', () => {
  it.each([
    ['a slash with an escape', String.raw`{"a":"https:\/\/user:hunter2x@host"}`, /hunter2x/],
    ['an escaped letter', String.raw`{"a":"\u0067hp_${'a'.repeat(36)}"}`, /hp_aaa/],
    ['an escaped letter inside', String.raw`{"a":"xox\u0062-1234567890-abcdef"}`, /1234567890/],
    ['an escaped first letter', String.raw`{"a":"\u0041KIAABCDEFGHIJKLMNOP"}`, /KIAABC/],
    ['a key', `{"${key}":1}`, /ghp_/],
    ['an escaped name', String.raw`{"passw\u006frd":"correct horse"}`, /horse/],
    ['quotes in a password', String.raw`{"password":"abc\"def\nghi jkl"}`, /abc|def|jkl/],
    ['a long password', `{"password":"${'correct horse '.repeat(100)}"}`, /horse/],
    ['a list of passwords', '{"password":["hunter2hunter2",["hunter3hunter3"]]}', /hunter2/],
    ['a password of digits', '{"password":12345678,"a":1}', /12345678/],
    ['JSON in a string', JSON.stringify({ a: '{"password":"hunter2hunter2"}' }), /hunter2/],
    [
      'JSON in JSON in a string',
      JSON.stringify([JSON.stringify({ a: JSON.stringify({ password: 'hunter2hunter2' }) })]),
      /hunter2/,
    ],
    ['a text with a NUL', JSON.stringify(`\0${' x'.repeat(80_000)} ${key}`), /ghp_/],
    ['a private key', JSON.stringify(`-----BEGIN PRIVATE KEY-----\nMIIabc\n`.repeat(2)), /MII/],
  ])('hides %s', async (_, json, secret) => {
    const text = await masked(json);
    expect(text).not.toMatch(secret);
    expect(text).toContain('[masked secret 1]');
    expect(() => JSON.parse(text)).not.toThrow();
  });

  it.each([
    '{ "id": 12345678901234567890, "n": -1.50e+3, "a": "é\\u00e9\\/", "a": [true, null, {}] }',
    '"text"',
    '"\\\\\\""',
    '17',
    '[]',
    `{"password":"","token":null,"secret":"\${API_KEY}","passwords":{"a":"hello you"}}`,
    '{"password":"[masked secret 1]"}',
    '{"token":"short"}',
    `[${'"\\\\\\"",'.repeat(50_000)}1]`,
  ])('keeps the rest as it is written: %.60s', async (json) => {
    expect(await masked(json)).toBe(json);
  });

  it('numbers the same secret in the same way', async () => {
    const json = JSON.stringify({ a: key, password: 'hunter2hunter2', token: key, [key]: [key] });
    expect(await maskJson(json, createMask(2))).toBe(
      json.replaceAll(key, '[masked secret 3]').replace('hunter2hunter2', '[masked secret 4]'),
    );
  });

  it('lets other work run meanwhile', async () => {
    const json = JSON.stringify(
      Array.from({ length: 50_000 }, (_, n) => ({ [`name${n}`]: 'a text' })),
    );
    let turns = 0;
    const counting = setInterval(() => (turns += 1), 0);
    await masked(json);
    clearInterval(counting);
    expect(turns).toBeGreaterThan(5);
  });
});
