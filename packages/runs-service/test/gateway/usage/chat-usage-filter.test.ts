import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { createChatUsageFilter } from '../../../src/gateway/usage/chat-usage-filter.ts';
import { dataOf } from './responses.ts';

const text = {
  choices: [{ index: 0, delta: { content: 'é "usage" {"choices":[]}' } }],
  usage: null,
};
const usage = { choices: [], usage: { prompt_tokens: 1, completion_tokens: 2 } };
const end = 'data: [DONE]\n\n';

async function filtered(...chunks: (string | Buffer)[]): Promise<string> {
  const source = Readable.from(chunks.map((chunk) => Buffer.from(chunk)));
  return (await buffer(source.pipe(createChatUsageFilter()))).toString();
}

describe('a stream of Chat Completions whose agent requested no usage', () => {
  it('loses only the chunk with usage, wherever the bytes are split', async () => {
    const body = Buffer.from(`${dataOf(text)}: keepalive\n\n${dataOf(usage)}${end}`);
    const expected = `${dataOf(text)}: keepalive\n\n${end}`;
    for (let at = 1; at < body.length; at += 1)
      expect(await filtered(body.subarray(0, at), body.subarray(at))).toBe(expected);
    expect(await filtered(...[...body].map((byte) => Buffer.of(byte)))).toBe(expected);
  });

  it.each([
    { name: 'usage next to a choice', body: dataOf({ ...text, usage: usage.usage }) },
    { name: 'no choices and no usage', body: dataOf({ choices: [], prompt_filter_results: [] }) },
    { name: 'an error', body: dataOf({ error: { message: '"usage"' } }) },
    { name: 'broken JSON', body: 'data: {"choices":[],"usage":{\n\n' },
    { name: 'an event of 1 MB', body: dataOf({ ...text, more: 'x"usage"'.repeat(125_000) }) },
    { name: 'a cut event', body: 'data: {"choices":[{"usage"' },
  ])('keeps $name as it is', async ({ body }) => {
    expect(await filtered(body)).toBe(body);
    expect(await filtered(...(body.match(/.{1,1000}/gs) ?? []))).toBe(body);
  });

  it('loses the chunk with usage between lines that end with CRLF, and at the end', async () => {
    const body = `${dataOf(text)}${dataOf(usage)}`.replaceAll('\n', '\r\n');
    expect(await filtered(body)).toBe(dataOf(text).replaceAll('\n', '\r\n'));
    expect(await filtered(dataOf(usage).trimEnd())).toBe('');
  });
});
