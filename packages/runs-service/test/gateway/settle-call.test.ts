import { describe, expect, it } from 'vitest';
import { createPrices } from '../../src/gateway/prices.ts';
import { settledCall } from '../../src/gateway/settle-call.ts';
import { createUsageReader } from '../../src/gateway/usage/create-usage-reader.ts';
import type { CallOutcome } from '../../src/store/call-outcome.ts';
import type { SettledCall } from '../../src/store/model-calls.ts';
import { createModelCalls } from '../../src/store/model-calls.ts';
import { useDatabase } from '../support/databases.ts';
import { messageBody, messageEvents, openGatewayBed } from './gateway-bed.ts';

const db = useDatabase();
const provider = {
  name: 'anthropic',
  api: 'anthropic',
  prices: { model: { input: 0, output: 1 } },
} as const;
const { start, text, end } = messageEvents;

/** Returns the price in micro-dollars, which is the number of output tokens. */
function priceOf(events: string, outcome: CallOutcome, durationMs: number): number | undefined {
  const reader = createUsageReader('messages', 'text/event-stream');
  reader.push(Buffer.from(events));
  const call = { provider, model: 'model', requestBytes: 100, maxOutputTokens: 32_000 };
  const sent = { outcome, status: 200, isBilled: true, reader, durationMs };
  const facts = { firstByteAt: undefined, responseBytes: 1, upstreamId: undefined };
  return settledCall(call, { ...sent, ...facts }, createPrices()).priceMicros;
}

describe('the price of a call', () => {
  it.each<CallOutcome>(['cut', 'canceled'])(
    'that was %s includes what the model could have written unseen',
    (outcome) => {
      expect(priceOf(start + text, outcome, 60_000)).toBe(12_000);
      expect(priceOf('', outcome, 60_000)).toBe(12_000);
      expect(priceOf(start, outcome, 3_600_000)).toBe(32_000);
    },
  );

  it('that ended by itself, or after its final usage, does not depend on time', () => {
    expect(priceOf(start + text + end, 'completed', 60_000)).toBe(50);
    expect(priceOf(start + text + end, 'canceled', 60_000)).toBe(50);
    expect(priceOf(start + text, 'completed', 60_000)).toBe(1);
  });

  it('includes the time that the provider was silent', async () => {
    const settled: SettledCall[] = [];
    const calls = createModelCalls(db());
    const bed = await openGatewayBed(db(), {
      answer: (request) => void request.resume(),
      provider: { prices: { 'claude-opus-5-5': { input: 0, output: 1 } } },
      silenceMs: 1_000,
      calls: {
        ...calls,
        settle(id, owner, call) {
          settled.push(call);
          return calls.settle(id, owner, call);
        },
      },
    });
    expect((await bed.call('/anthropic/v1/messages', { body: messageBody })).status).toBe(504);
    await bed.endedRows();
    expect(settled[0]?.priceMicros).toBeGreaterThan(0);
  });
});
