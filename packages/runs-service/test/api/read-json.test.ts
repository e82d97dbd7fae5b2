import { describe, expect, it } from 'vitest';
import { readJson } from '../../src/api/read-request.ts';

/** Creates a request whose body arrives in these chunks. */
function requestOf(chunks: Iterable<string>): Request {
  const sent = chunks[Symbol.iterator]();
  const body = new ReadableStream({
    pull(controller) {
      const next = sent.next();
      if (next.done) controller.close();
      else controller.enqueue(Buffer.from(next.value, 'latin1'));
    },
  });
  const headers = { 'content-type': 'application/json' };
  return new Request('http://x.test/', { method: 'POST', headers, body, duplex: 'half' });
}

/** Yields a body that still arrives when it's rejected. */
function* large(part: string) {
  yield '[1';
  for (let count = 0; count < 60; count += 1) yield part;
}

const rejected: [name: string, chunk: string, says: RegExp][] = [
  ['elements', ',1'.repeat(30_000), /more than 10000 elements/],
  ['objects', ',{"a":1}'.repeat(8_000), /more than 10000 elements/],
  ['members', `,{${'"a":1,'.repeat(8_000)}"a":1}`, /more than 10000 elements/],
  ['levels', ',['.repeat(200), /more than 100 levels/],
  ['levels after strings with brackets', `,"]]]}\\"",[`.repeat(200), /more than 100 levels/],
];

describe('the elements of a body are counted while it arrives', () => {
  it.each(rejected)(
    'so one with too many %s is rejected without parsing it',
    async (_, chunk, says) => {
      await expect(readJson(requestOf(large(chunk)))).rejects.toThrow(says);
    },
  );

  it('and a string costs nothing, whatever is in it', async () => {
    const text = '[{,:"\\'.repeat(100_000);
    expect(await readJson(requestOf([JSON.stringify({ text })]))).toEqual({ text });
  });

  it('wherever its chunks are cut', async () => {
    const value = { 'a"': ['\\', '\\"', { Zürich: '[[[[' }], b: '\\\\' };
    const bytes = Buffer.from(JSON.stringify(value)).toString('latin1');
    expect(await readJson(requestOf(bytes))).toEqual(value);
    const deep = `${bytes.slice(0, -1)},"c":${'['.repeat(100)}`;
    await expect(readJson(requestOf(deep))).rejects.toThrow(/more than 100 levels/);
  });
});
