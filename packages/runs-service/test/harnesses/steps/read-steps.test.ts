import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createWholeLines } from '../../../src/execution/output/output-streams.ts';
import { shortInput } from '../../../src/harnesses/steps/agent-step.ts';
import {
  createUsageMeter,
  eventTexts,
  readSteps,
} from '../../../src/harnesses/steps/read-steps.ts';
import { acpEvents } from './acp-events.ts';
import { harnessEvents } from './harness-events.ts';
import { planEvents } from './plan-events.ts';

const allEvents = [...harnessEvents, ...planEvents, ...acpEvents];

describe('a line of a harness', () => {
  it.each(allEvents)('%s', (_name, event, steps) => {
    expect(readSteps(JSON.stringify(event))).toEqual(steps);
  });

  it.each([
    'plain text',
    '',
    '{',
    '{}',
    '[]',
    'null',
    '{"type":"assistant"}',
    '{"type":"result"}',
    '{"type":"item.completed","item":{"type":"surprise"}}',
    '{"level":"error","message":"a log line"}',
    '{"type":"error","message":"x","code":1}',
    '{"type":"text","text":"of another program"}',
  ])('without an event stays output: %s', (line) => {
    expect(readSteps(line)).toBeUndefined();
  });

  it('never throws', () => {
    const shapes = allEvents.map(([, event]) => event as Record<string, unknown>);
    const spoilt = fc
      .tuple(fc.constantFrom(...shapes), fc.dictionary(fc.string(), fc.jsonValue()))
      .chain(([shape, more]) =>
        fc
          .constantFrom(...Object.keys(shape))
          .chain((key) =>
            fc.jsonValue().map((value) => JSON.stringify({ ...more, ...shape, [key]: value })),
          ),
      );
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json(), spoilt), (line) => {
        readSteps(line);
        eventTexts(line);
      }),
    );
  });
});

it('an event with a thousand levels is output like any other', () => {
  const call = { type: 'tool_use', id: '1', name: 'Read' };
  const text = JSON.stringify({ type: 'assistant', message: { content: [{ ...call, input: 0 }] } });
  expect(readSteps(text)).toHaveLength(1);
  expect(readSteps(text.replace('0', '['.repeat(1_000) + ']'.repeat(1_000)))).toBeUndefined();
});

it('an input is shortened to its main argument', () => {
  expect(shortInput({ description: 'x', file_path: '/a' })).toBe('/a');
  expect(shortInput({ command: ['git', 'log'] })).toBe('git log');
  expect(shortInput({ a: 1 })).toBe('{"a":1}');
  expect(shortInput('just\n  text')).toBe('just text');
  expect(shortInput(undefined)).toBe('');
  expect([...shortInput('😀'.repeat(1000))]).toHaveLength(300);
});

it('the words of an output contain the text of its events', () => {
  const lines = [
    'warming up',
    JSON.stringify({ type: 'thread.started', thread_id: 't' }),
    JSON.stringify({ type: 'turn.failed', error: { message: 'quota' } }),
  ];
  expect(eventTexts(lines.join('\n'))).toBe('warming up\nquota');
});

const stepsIn = (lines: Buffer) =>
  lines
    .toString()
    .split('\n')
    .flatMap((line) => readSteps(line) ?? []);

describe('the usage of an agent', () => {
  const stream = [
    'noise',
    JSON.stringify({ type: 'turn.completed', usage: { input_tokens: 1, output_tokens: 2 } }),
    JSON.stringify({
      type: 'step_finish',
      sessionID: 's',
      part: { cost: 0.5, tokens: { input: 10, output: 0 } },
    }),
  ].join('\n');

  it('adds up, no matter how the output is split', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(stream.length)), (cuts) => {
        const meter = createUsageMeter();
        const lines = createWholeLines((whole) => {
          for (const step of stepsIn(whole)) meter.add(step);
        });
        const places = [0, ...cuts.toSorted((a, b) => a - b), stream.length];
        for (const [index, place] of places.entries())
          lines.push(Buffer.from(stream.slice(place, places[index + 1] ?? place)));
        lines.end();
        expect(meter.total()).toEqual({ costUsd: 0.5, tokens: 13 });
      }),
    );
  });

  it('is undefined if the agent does not report it', () => {
    const meter = createUsageMeter();
    for (const step of stepsIn(Buffer.from('hello\n{"type":"turn.started"}\n'))) meter.add(step);
    expect(meter.total()).toBeUndefined();
  });
});
