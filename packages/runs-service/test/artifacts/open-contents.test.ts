import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createDiskStore } from '../../src/artifacts/content-store.ts';
import { createContentWriter } from '../../src/artifacts/content-writer.ts';
import { createReadContent } from '../../src/artifacts/open-contents.ts';
import { temporaryFolder } from '../support/runs-service.ts';

/**
 * Reads a content.
 * @param bytes reported size
 */
async function read(bytes: number): Promise<string> {
  const folder = join(temporaryFolder(), 'contents');
  mkdirSync(folder);
  const store = createDiskStore(folder);
  const { signal } = new AbortController();
  const writer = createContentWriter({ folder, store, signal, hidden: [] });
  writer.push(Buffer.from('the report'));
  writer.close();
  const { contentName, key } = await writer.store();
  const file = { contentName, key, bytes, contentType: 'text/plain', path: 'report.txt' };
  const chunks: Buffer[] = [];
  for await (const chunk of (await createReadContent(store)(file)) ?? []) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

it('reads a content whole', async () => {
  expect(await read(10)).toBe('the report');
});

it.each([9, 11])('breaks off a content of 10 bytes that is reported to have %d', async (bytes) => {
  await expect(read(bytes)).rejects.toThrow("isn't what was reported");
});
