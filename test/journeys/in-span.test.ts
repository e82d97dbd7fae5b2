import { type Attributes, type Span, type Tracer, trace } from '@opentelemetry/api';
import { inSpan } from 'base/in-span';
import { afterEach, expect, it } from 'vitest';
import { createSlackFetch } from '../../src/slack/connection/calls/slack-fetch.ts';

type Kept = { name: string; attributes: Attributes | undefined; status?: number; isOver: boolean };

/** Registers a tracer that keeps all spans, as an OpenTelemetry SDK would. */
function keepSpans(): Kept[] {
  const spans: Kept[] = [];
  const startActiveSpan = (
    name: string,
    options: { attributes?: Attributes },
    work: (span: Span) => unknown,
  ) => {
    const kept: Kept = { name, attributes: options.attributes, isOver: false };
    spans.push(kept);
    const span = {
      setStatus: (status: { code: number }) => void Object.assign(kept, { status: status.code }),
      end: () => void Object.assign(kept, { isOver: true }),
    };
    return work(span as unknown as Span);
  };
  const tracer = { startActiveSpan } as unknown as Tracer;
  trace.setGlobalTracerProvider({ getTracer: () => tracer });
  return spans;
}

afterEach(() => trace.disable());

it('gives the SDK a span that ends with the work, and says that it failed', async () => {
  const spans = keepSpans();
  expect(await inSpan('post', { teamId: 'T1' }, async () => 'done')).toBe('done');
  const failing = inSpan('run', {}, () => Promise.reject(new Error('no disk')));
  await expect(failing).rejects.toThrow('no disk');
  expect(spans).toEqual([
    { name: 'post', attributes: { teamId: 'T1' }, isOver: true },
    { name: 'run', attributes: {}, status: 2, isOver: true },
  ]);
});

it('works without an SDK', async () => {
  expect(await inSpan('post', {}, async () => 'done')).toBe('done');
});

it('names calls of Slack by their method, without what is in their addresses', async () => {
  const spans = keepSpans();
  const call = createSlackFetch();
  // The discard port accepts no connections, so each call fails.
  const calls = ['/api/chat.postMessage?token=xoxb-secret', '/files/T1/xoxb-secret'].map((path) =>
    call(`http://127.0.0.1:9${path}`),
  );
  for (const each of calls) await expect(each).rejects.toThrow();
  expect(spans.map(({ name }) => name)).toEqual(['slack chat.postMessage', 'slack other']);
  expect(JSON.stringify(spans)).not.toContain('secret');
});
