import { describe, expect, it } from 'vitest';
import type { ReadUsage } from '../../../src/gateway/usage/call-usage.ts';
import {
  createUsageReader,
  type UsageFlavor,
} from '../../../src/gateway/usage/create-usage-reader.ts';
import { dataOf, eventsOf, sampleResponses } from './responses.ts';

const stream = 'text/event-stream';

function read(flavor: UsageFlavor, contentType: string, ...chunks: (string | Buffer)[]): ReadUsage {
  const reader = createUsageReader(flavor, contentType);
  for (const chunk of chunks) reader.push(Buffer.from(chunk));
  return reader.read();
}

describe.each(sampleResponses)('usage of $name', ({ flavor, contentType, ...sample }) => {
  const body = Buffer.from(sample.body);

  it('is read with model and tier', () => {
    const { usage, isFinal, model, tier, outputBytes } = read(flavor, contentType, body);
    expect({ usage, isFinal, model, tier }).toEqual({
      usage: sample.usage,
      isFinal: true,
      model: sample.model,
      tier: sample.tier,
    });
    expect(outputBytes).toBeGreaterThan(0);
  });

  it('is the same wherever the bytes are split', () => {
    const whole = read(flavor, contentType, body);
    expect(read(flavor, contentType, ...[...body].map((byte) => Buffer.of(byte)))).toEqual(whole);
    for (let at = 1; at < body.length; at += 1)
      expect(read(flavor, contentType, body.subarray(0, at), body.subarray(at))).toEqual(whole);
  });

  it('is incomplete wherever the response is cut, and never higher than at the end', () => {
    const total = read(flavor, contentType, body);
    const finals: boolean[] = [];
    for (let at = 0; at < body.length; at += 1) {
      const cut = read(flavor, contentType, body.subarray(0, at));
      finals.push(cut.isFinal);
      expect(cut.usage?.input ?? 0).toBeLessThanOrEqual(sample.usage.input);
      expect(cut.usage?.output ?? 0).toBeLessThanOrEqual(sample.usage.output);
      expect(cut.outputBytes).toBeLessThanOrEqual(total.outputBytes);
    }
    const firstFinal = finals.indexOf(true);
    if (firstFinal === -1) return;
    expect(finals.slice(firstFinal).every(Boolean)).toBe(true);
    const rest = body.subarray(firstFinal).toString();
    // Everything that follows is the end of the stream, or Gemini's chunk that has only usage.
    expect(rest.length).toBeLessThan(flavor === 'gemini' ? 450 : 50);
  });
});

describe('usage of a hostile or unusual response', () => {
  it('is read after a line of 20 MB, without keeping it', () => {
    const text = `${'a\\"usage\\":{\\\\'.repeat(1_500_000)}é`;
    const reader = createUsageReader('responses', stream);
    const head = `data: {"type":"response.completed","response":{"output":[{"text":"${text}"}],`;
    const bytes = Buffer.from(
      `${head}"usage":{"input_tokens":5,"output_tokens":6},"model":"m"}}\n\n`,
    );
    const before = process.memoryUsage();
    for (let at = 0; at < bytes.length; at += 16_384) reader.push(bytes.subarray(at, at + 16_384));
    const { usage, isFinal } = reader.read();
    expect(usage).toMatchObject({ input: 5, output: 6 });
    expect(isFinal).toBe(true);
    expect(process.memoryUsage().arrayBuffers - before.arrayBuffers).toBeLessThan(1_000_000);
  });

  it('is read after a million open brackets, and not inside of them', () => {
    const deep = `${'['.repeat(1_000_000)}{"usage":{"input_tokens":9}}${']'.repeat(1_000_000)}`;
    const body = `{"deep":${deep},"usage":{"input_tokens":5,"output_tokens":6},"type":"message"}`;
    expect(read('messages', 'application/json', body).usage).toMatchObject({ input: 5, output: 6 });
  });

  it.each([
    '{"usage":{"input_tokens":1e999,"output_tokens":-4}}',
    '{"usage":{"input_tokens":1.5,"output_tokens":"7"}}',
    '{"usage":"input_tokens","__proto__":{"usage":{"input_tokens":5}}}',
    '{"usage":[{"input_tokens":5}]}',
    `{"usage":{"input_tokens":${'9'.repeat(5000)}}}`,
    '}}]]{"usage"::,,}',
    '"usage"',
    '\u0000\u00ff',
    '[[{"usage":{"input_tokens":5}}]]',
  ])('is unknown: %.60s', (body) => {
    expect(read('messages', 'application/json', body)).toMatchObject({
      usage: undefined,
      isFinal: false,
    });
  });

  it('reads keys with escapes, and values that come in another order', () => {
    const body = '{"us\\u0061ge":{"output_tokens":6,"input_tokens":5},"type":"message"}';
    expect(read('messages', 'application/json', body)).toMatchObject({
      usage: { input: 5, output: 6 },
      isFinal: true,
    });
  });

  it('continues after an event that is cut, and joins the data lines of an event', () => {
    const body = [
      'data: {"type":"message_start","message":{"usage":{"input_tokens":5,"outp',
      '\n\n: comment\nid: 4\n',
      'data:{"type":"message_delta",\ndata: "usage":{"input_tokens":8,\ndata:"output_tokens":6}}\n\n',
      'data: {"type":"message_stop"}\n\n',
    ];
    expect(read('messages', stream, ...body)).toMatchObject({
      usage: { input: 8, output: 6 },
      isFinal: true,
    });
  });

  it('includes a compaction, which the totals of Messages leave out', () => {
    const usage = {
      input_tokens: 23_000,
      output_tokens: 1000,
      iterations: [
        { type: 'compaction', input_tokens: 180_000, output_tokens: 3500 },
        { type: 'message', input_tokens: 23_000, output_tokens: 1000 },
      ],
    };
    const events = [
      { type: 'message_delta', delta: {}, usage },
      { type: 'message_delta', delta: {}, usage },
      { type: 'message_stop' },
    ];
    expect(read('messages', stream, eventsOf(...events)).usage).toMatchObject({
      input: 203_000,
      output: 4500,
    });
  });

  it('adds reasoning that a server counts only in the total', () => {
    const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 95 };
    const choices = [{ index: 0, delta: {}, finish_reason: 'stop' }];
    expect(read('chat', stream, dataOf({ choices, usage }))).toMatchObject({
      usage: { input: 10, output: 85 },
      isFinal: true,
    });
  });

  it('is not final while a server reports it with every chunk', () => {
    const usage = { prompt_tokens: 10, completion_tokens: 5 };
    const choices = [{ index: 0, delta: { content: 'Hi' } }];
    expect(read('chat', stream, dataOf({ choices, usage }, { choices, usage }))).toMatchObject({
      usage: { input: 10, output: 5 },
      isFinal: false,
      outputBytes: 4,
    });
  });

  it('is final for a prompt that Gemini blocks', () => {
    const body = {
      promptFeedback: { blockReason: 'SAFETY' },
      usageMetadata: { promptTokenCount: 9 },
    };
    expect(read('gemini', 'application/json', JSON.stringify(body))).toMatchObject({
      usage: { input: 9, output: 0 },
      isFinal: true,
    });
  });

  it('has the tier, speed and region that change the price', () => {
    const usage = {
      output_tokens: 1,
      service_tier: 'priority',
      speed: 'fast',
      inference_geo: 'us',
    };
    const body = JSON.stringify({ type: 'message', usage });
    expect(read('messages', 'application/json', body).tier).toBe('priority fast us');
  });

  it('is unknown in an error', () => {
    const body = '{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}';
    expect(read('messages', 'application/json', body)).toMatchObject({ isFinal: false });
  });
});
