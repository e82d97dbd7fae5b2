import { createReadStream, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  BrokenSealError,
  createSealedWriter,
  newFileKey,
  readSealed,
} from '../../../src/execution/memory/sealed-file.ts';
import { temporaryFolder } from '../../support/runs-service.ts';

const content = Buffer.alloc(2_500_000, 'a secret word ');

function seal(limitBytes = 10_000_000) {
  const [file, key] = [join(temporaryFolder(), 'sealed'), newFileKey()];
  const writer = createSealedWriter(file, key, limitBytes);
  for (let at = 0; at < content.length; at += 60_000)
    writer.push(content.subarray(at, at + 60_000));
  writer.close();
  return { file, key, writer };
}

async function read(file: string, key: string): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of readSealed(createReadStream(file), key)) parts.push(part);
  return Buffer.concat(parts);
}

describe('a sealed file', () => {
  it('shows its content only with its key', async () => {
    const { file, key } = seal();
    expect(readFileSync(file).includes('secret')).toBe(false);
    expect((await read(file, key)).equals(content)).toBe(true);
    await expect(read(file, newFileKey())).rejects.toThrow(BrokenSealError);
  });

  it('is rejected if a byte changed, or the end is missing', async () => {
    for (const at of [0, 3, 8, 900_000]) {
      const { file, key } = seal();
      const bytes = readFileSync(file);
      bytes[at] = (bytes[at] ?? 0) ^ 1;
      writeFileSync(file, bytes);
      await expect(read(file, key), `${at}`).rejects.toThrow(BrokenSealError);
    }
    const { file, key } = seal();
    const size = readFileSync(file).length;
    for (const bytes of [size - 1, size - 500_000, 10, 0]) {
      truncateSync(file, bytes);
      await expect(read(file, key), `${bytes}`).rejects.toThrow(BrokenSealError);
    }
  });

  it('ends at its limit', () => {
    expect(seal(100_000).writer.full.aborted).toBe(true);
    expect(seal().writer.full.aborted).toBe(false);
  });
});
