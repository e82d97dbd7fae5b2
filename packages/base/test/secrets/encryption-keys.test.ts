import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ExplainedError } from '../../src/explained-error.ts';
import { createEncryption } from '../../src/secrets/encryption.ts';
import { generatedKeys, openEncryption, readKeyPair } from '../../src/secrets/encryption-keys.ts';
import { createLineLogger } from '../support/line-logger.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const one = Buffer.alloc(32, 'first key');
const other = Buffer.alloc(32, 'second key');
const base64 = one.toString('base64');

describe('encryption keys', () => {
  it.each([
    ['base64', base64],
    ['base64 without its end', base64.replace('=', '')],
    ['base64 for URLs', one.toString('base64url')],
    ['hexadecimal', one.toString('hex')],
    ['capitals', one.toString('hex').toUpperCase()],
    ['a line of a file', `${base64}\n`],
  ])('are read from %s', (_, text) => {
    expect(readKeyPair(text)).toEqual({ current: one, other: undefined });
  });

  it('are two while they are being replaced', () => {
    const pair = { current: one, other };
    expect(readKeyPair(`${base64}\n${other.toString('hex')}\n`)).toEqual(pair);
    expect(readKeyPair(`${base64} ${other.toString('hex')}`)).toEqual(pair);
  });

  it.each(['', 'hunter2', base64.slice(4), `${base64}x`, `${base64} ${base64} ${base64}`])(
    'reject "%s"',
    (text) => {
      expect(readKeyPair(text)).toBeUndefined();
    },
  );

  it('are generated once, for this user alone, and the log says to back them up', () => {
    const { logger, lines } = createLineLogger();
    const keys = generatedKeys(join(temporaryFolder(), 'data'));
    const file = 'file' in keys ? keys.file : '';
    const encrypted = openEncryption(keys, logger).encrypt('secret', 'me');
    expect(openEncryption(keys, logger).decrypt(encrypted, 'me')).toBe('secret');
    expect(statSync(file)).toMatchObject({ mode: 0o100600, nlink: 1 });
    expect(readdirSync(dirname(file))).toEqual(['encryption.key']);
    expect(lines.map(({ msg }) => msg)).toEqual([expect.stringContaining('back it up')]);
    const { current } = readKeyPair(readFileSync(file, 'utf8')) ?? {};
    expect(current && createEncryption(current).decrypt(encrypted, 'me')).toBe('secret');
  });

  it('in a file that other users can read are closed to them', () => {
    const { logger } = createLineLogger();
    const file = join(temporaryFolder(), 'encryption.key');
    writeFileSync(file, base64);
    chmodSync(file, 0o644);
    openEncryption({ file }, logger);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it('in a file that has something else are explained, without it', () => {
    const { logger } = createLineLogger();
    const file = join(temporaryFolder(), 'encryption.key');
    writeFileSync(file, 'hunter2');
    const open = () => openEncryption({ file }, logger);
    expect(open).toThrow(ExplainedError);
    expect(open).toThrow(/encryption\.key: it must be a key of 32 bytes/);
    expect(open).not.toThrow(/hunter2/);
  });
});
