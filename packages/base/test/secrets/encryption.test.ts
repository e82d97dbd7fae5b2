import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createEncryption, Unreadable } from '../../src/secrets/encryption.ts';

const key = randomBytes(32);
const { encrypt, decrypt } = createEncryption(key);

describe('encryption', () => {
  it('gives back any text to its owner, and shows none of it', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string(), (text, owner) => {
        const encrypted = encrypt(text, owner);
        expect(decrypt(encrypted, owner)).toBe(text);
      }),
    );
    expect(encrypt('xoxb-a-known-token', 'me')).not.toContain('known');
  });

  it('rejects what belongs to another owner, was changed or cut, or was never encrypted', () => {
    const encrypted = encrypt('secret', 'one request');
    const [head = '', id = '', data = ''] = encrypted.split('.');
    const other = Buffer.from(data, 'base64url');
    other[other.length - 1] = (other.at(-1) ?? 0) ^ 1;
    expect(() => decrypt(encrypted, 'another request')).toThrow(Unreadable);
    for (const wrong of [
      [head, id, other.toString('base64url')].join('.'),
      [head, id, data.slice(0, 10)].join('.'),
      [head, id].join('.'),
      [head, 'elsewhere', data].join('.'),
      'secret',
      '',
    ])
      expect(() => decrypt(wrong, 'one request')).toThrow(Unreadable);
  });

  it('shows only whether texts of the same owner are equal', () => {
    const encrypted = encrypt('secret', 'me');
    expect(encrypt('secret', 'me')).toBe(encrypted);
    const others = [encrypt('secret', 'you'), encrypt('secrets', 'me'), encrypt('esecret', 'm')];
    const [nonce, ...more] = [encrypted, ...others].map((each) => each.split('.')[2]?.slice(0, 16));
    expect(more).not.toContain(nonce);
  });

  it('reads and writes what the other key has encrypted', () => {
    const encrypted = encrypt('secret', 'me');
    const rotated = createEncryption(randomBytes(32), key);
    expect(rotated.decrypt(encrypted, 'me')).toBe('secret');
    expect(rotated.encrypt('secret', 'me', 'other')).toBe(encrypted);
    expect(encrypted.startsWith(rotated.prefix)).toBe(false);
    expect(rotated.encrypt('secret', 'me').startsWith(rotated.prefix)).toBe(true);
    expect(() => decrypt(rotated.encrypt('secret', 'me'), 'me')).toThrow(
      /needs the encryption key/,
    );
  });
});
