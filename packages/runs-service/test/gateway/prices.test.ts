import { calcPrice, findProvider } from '@pydantic/genai-prices';
import { describe, expect, it } from 'vitest';
import { createPrices } from '../../src/gateway/prices.ts';
import type { CallUsage, ReadUsage } from '../../src/gateway/usage/call-usage.ts';

const anthropic = { api: 'anthropic' as const };
const openai = { api: 'openai' as const };
const prices = createPrices();

const tokens = (more: Partial<CallUsage>): CallUsage => ({
  ...{ input: 0, cacheRead: 0, cacheWrite: 0, cacheWriteHour: 0, output: 0 },
  ...{ reasoning: 0, webSearches: 0 },
  ...more,
});

const reported = (usage: Partial<CallUsage>, more: Partial<ReadUsage> = {}): ReadUsage => ({
  usage: tokens(usage),
  isFinal: true,
  model: undefined,
  tier: undefined,
  outputBytes: 0,
  ...more,
});

const call = (
  provider: Parameters<typeof prices.hasPrice>[0],
  model: string,
  read: ReadUsage,
  requestBytes = 0,
  cut?: { afterMs: number; maxOutputTokens: number | undefined },
) => prices.priceCall({ provider, model, read, requestBytes, cut });

describe('the price of a call', () => {
  it('is from the list, for all input and the cheaper part of it that was cached', () => {
    const usage = {
      input: 10_000,
      cacheRead: 6000,
      cacheWrite: 1000,
      cacheWriteHour: 2000,
      output: 500,
    };
    // 1000 at $2, 6000 at $0.20, 1000 at $2.50, 2000 at $4, 500 at $10 for a million.
    expect(call(anthropic, 'claude-sonnet-5', reported(usage))).toEqual({
      micros: 18_700,
      entry: 'anthropic/claude-sonnet-5',
      isEstimated: false,
    });
  });

  it('is rounded up, but not by the error of a floating-point number', () => {
    // calcPrice returns 0.0016900000000000001 dollars here.
    const exact = call(
      anthropic,
      'claude-sonnet-5',
      reported({ input: 1000, cacheRead: 200, output: 5 }),
    );
    expect(exact.micros).toBe(1690);
    expect(call(openai, 'gpt-5.4-nano', reported({ input: 1 })).micros).toBe(1);
    expect(call(openai, 'gpt-5.4-nano', reported({})).micros).toBe(0);
  });

  it('says which entry matched by its prefix', () => {
    const { entry } = call(anthropic, 'claude-sonnet-5-5', reported({ input: 1 }));
    expect(entry).toBe('anthropic/claude-sonnet-5');
  });

  it('is that of the model that served the call', () => {
    const read = reported({ input: 1_000_000 }, { model: 'claude-opus-5-5' });
    expect(call(anthropic, 'claude-latest', read)).toMatchObject({
      micros: 4_000_000,
      entry: 'anthropic/claude-opus-5-5',
    });
  });

  it('includes web searches, and higher prices of long contexts', () => {
    expect(call(anthropic, 'claude-opus-5-5', reported({ webSearches: 3 })).micros).toBe(30_000);
    const long = call(openai, 'gpt-6-sol', reported({ input: 300_000, output: 1000 }));
    expect(long.micros).toBe(1_215_000);
  });

  it.each([
    { provider: anthropic, tier: 'standard global', factor: 1 },
    { provider: anthropic, tier: 'standard fast us', factor: 2.2 },
    { provider: anthropic, tier: 'constructor', factor: 1 },
    { provider: openai, tier: 'default', factor: 1 },
    { provider: openai, tier: 'flex', factor: 0.5 },
    { provider: openai, tier: 'priority', factor: 2.5 },
  ])('has the factor $factor for the tier "$tier"', ({ provider, tier, factor }) => {
    const models = { anthropic: 'claude-sonnet-5', openai: 'gpt-6-sol' };
    const read = reported({ input: 100_000 }, { tier });
    expect(call(provider, models[provider.api], read).micros).toBe(Math.round(200_000 * factor));
  });
});

describe('an override', () => {
  const provider = {
    ...openai,
    prices: { 'gpt-6-sol': { input: 1, output: 2 }, local: { input: 0, output: 0 } },
  };

  it('replaces the price of exactly its model', () => {
    const read = reported({ input: 1_000_000, cacheRead: 500_000, output: 1_000_000 });
    expect(call(provider, 'gpt-6-sol', read)).toMatchObject({
      micros: 3_000_000,
      entry: 'override',
    });
    expect(call(provider, 'gpt-6-sol-2026-11-01', read).entry).toBe('openai/gpt-6-sol');
    expect(call(provider, 'GPT-6-sol', read).entry).toBe('openai/gpt-6-sol');
    expect(call(provider, 'toString', read).entry).toBe('unpriced');
  });

  it('can be 0, also for a call without usage', () => {
    const lost = reported({}, { usage: undefined, isFinal: false, outputBytes: 4000 });
    expect(call(provider, 'local', lost, 50_000)).toEqual({
      micros: 0,
      entry: 'override',
      isEstimated: true,
    });
  });

  it('has a cached price, and the extra for cache writes of Messages', () => {
    const own = { ...anthropic, prices: { m: { input: 10, output: 0, cached: 1 } } };
    const usage = {
      input: 4_000_000,
      cacheRead: 1_000_000,
      cacheWrite: 1_000_000,
      cacheWriteHour: 1_000_000,
    };
    expect(call(own, 'm', reported(usage)).micros).toBe(10e6 + 1e6 + 12.5e6 + 20e6);
  });
});

describe('a model without a price', () => {
  const models = ['us.anthropic.claude-opus-5', 'nope', '', '__proto__'];

  it.each(models)('counts at the highest price of its provider: "%s"', (model) => {
    expect(prices.hasPrice(anthropic, model)).toBe(false);
    const read = reported({ input: 1_000_000, output: 1_000_000 });
    expect(call(anthropic, model, read)).toEqual({
      micros: 90_000_000,
      entry: 'unpriced',
      isEstimated: false,
    });
  });

  it('never costs less than any model of the list', () => {
    const usage = { input: 10_000, output: 10_000 };
    for (const provider of [anthropic, openai, { api: 'gemini' as const }]) {
      const id = { anthropic: 'anthropic', openai: 'openai', gemini: 'google' }[provider.api];
      const unpriced = call(provider, 'unknown-model', reported(usage)).micros;
      for (const { id: model } of findProvider({ providerId: id })?.models ?? []) {
        const tokensOfCall = { input_tokens: 10_000, output_tokens: 10_000 };
        const known = calcPrice(tokensOfCall, model, { providerId: id })?.total_price ?? 0;
        expect(known * 1e6).toBeLessThanOrEqual(unpriced);
      }
    }
  });

  it('counts at an override that is higher than the list', () => {
    const provider = { ...anthropic, prices: { huge: { input: 1000, output: 2000 } } };
    expect(call(provider, 'nope', reported({ input: 1_000_000 })).micros).toBe(1_000_000_000);
  });
});

describe('the provider of a price', () => {
  it.each([
    { base_url: 'https://api.x.ai/v1', model: 'grok-4.6', entry: 'x-ai/grok-4.6' },
    { base_url: 'https://models.internal/v1', model: 'gpt-6-sol', entry: 'openai/gpt-6-sol' },
    { base_url: 'http://127.0.0.1:8000/v1', model: 'qwen', entry: 'unpriced' },
  ])('is found by the address $base_url, else by the API', ({ base_url, model, entry }) => {
    expect(call({ ...openai, base_url }, model, reported({ input: 1 })).entry).toBe(entry);
  });
});

describe('usage that contradicts itself', () => {
  it.each([
    { input: 10, cacheRead: 20, output: 1 },
    { input: 0, cacheWrite: 5, cacheWriteHour: 5, output: 1 },
    { input: 1, output: 1, reasoning: 50 },
    { input: 1_000_000_000, output: 1_000_000_000 },
  ])('still has a price: %j', (usage) => {
    for (const [provider, model] of [
      [anthropic, 'claude-opus-5'],
      [openai, 'gpt-6-sol'],
      [openai, 'nope'],
    ] as const) {
      const { micros } = call(provider, model, reported(usage));
      expect(micros).toBeGreaterThan(0);
      expect(Number.isSafeInteger(micros)).toBe(true);
    }
  });
});

describe('an estimate', () => {
  it('of a first call has a token for four bytes, and 2,000 tokens of output', () => {
    expect(prices.estimate(anthropic, 'claude-sonnet-5', 40_000)).toBe(20_000 + 20_000);
    expect(prices.estimate(anthropic, 'nope', 40_000)).toBe(150_000 + 150_000);
  });

  it('reserves at least something for a model that is free', () => {
    const provider = { ...openai, prices: { local: { input: 0, output: 0 } } };
    expect(prices.estimate(provider, 'local', 40_000)).toBe(1);
  });

  it('of a cut call uses the bytes, or what was reported if it is more', () => {
    const cut = { isFinal: false, outputBytes: 4000 };
    const lost = call(
      anthropic,
      'claude-sonnet-5',
      reported({}, { ...cut, usage: undefined }),
      8000,
    );
    expect(lost).toMatchObject({ micros: 2000 * 2 + 1000 * 10, isEstimated: true });
    const started = call(
      anthropic,
      'claude-sonnet-5',
      reported({ input: 50, output: 1 }, cut),
      8000,
    );
    expect(started).toMatchObject({ micros: 50 * 2 + 1000 * 10, isEstimated: true });
    const late = call(
      anthropic,
      'claude-sonnet-5',
      reported({ input: 50, output: 3000 }, cut),
      8000,
    );
    expect(late.micros).toBe(50 * 2 + 3000 * 10);
  });

  it.each([
    { afterMs: 0, maxOutputTokens: 32_000, output: 1000 },
    { afterMs: 30_001, maxOutputTokens: 32_000, output: 6001 },
    { afterMs: 3_600_000, maxOutputTokens: 32_000, output: 32_000 },
    { afterMs: 3_600_000, maxOutputTokens: 10, output: 1000 },
    { afterMs: 3_600_000, maxOutputTokens: undefined, output: 128_000 },
  ])('of a call that was cut after $afterMs ms has $output tokens of output', (each) => {
    const { output, ...cut } = each;
    const read = reported({ input: 50, output: 1 }, { isFinal: false, outputBytes: 4000 });
    const { micros } = call(anthropic, 'claude-sonnet-5', read, 8000, cut);
    expect(micros).toBe(50 * 2 + output * 10);
  });
});
