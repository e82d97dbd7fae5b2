import type { ModelApi, ModelPrice, ModelProvider } from '../environments/models-config.ts';
import { listModels, listPrice, type Rates } from './price-list.ts';
import type { CallUsage, ReadUsage } from './usage/call-usage.ts';

type PricedProvider = Pick<ModelProvider, 'api' | 'base_url' | 'prices'>;

/** Price in millionths of a US dollar, rounded up, and where it's from: the price list, `override` or `unpriced`. */
type Price = { micros: number; entry: string };

type Models = { requested: string; served?: string | undefined };

/** A call that has ended, with what its response reported. */
type EndedCall = {
  provider: PricedProvider;
  /** Model that the agent requested. */
  model: string;
  read: ReadUsage;
  requestBytes: number;
  /** Undefined for a call that its provider ended, or whose final usage arrived. */
  cut: CutCall | undefined;
};

/** A call that ended early, so that its provider bills output that it never sent, such as hidden reasoning. */
type CutCall = {
  /** Time between sending the call and its end, in ms. */
  afterMs: number;
  /** Limit of the request on output tokens. */
  maxOutputTokens: number | undefined;
};

/**
 * Factors of service tiers, speeds and regions, which the price list doesn't know. Where they differ between models, the
 * highest applies.
 */
const factors: Record<ModelApi, Record<string, number>> = {
  anthropic: { batch: 0.5, fast: 2, us: 1.1 },
  openai: { batch: 0.5, flex: 0.5, fast: 2.5, priority: 2.5 },
  gemini: { batch: 0.5, flex: 0.5, priority: 2 },
};

/** Factors of the input price for tokens that are written to the cache. Other APIs don't charge extra. */
const cacheWrites = { fiveMinutes: 1.25, hour: 2 };
const webSearchUsd = 0.01;
const bytesPerToken = 4;
const estimatedOutputTokens = 2000;
/** High rate at which models write. */
const outputTokensPerSecond = 200;
/** Limit on output tokens for a request that names none. */
const defaultMaxOutputTokens = 128_000;
const noTokens = { cacheRead: 0, cacheWrite: 0, cacheWriteHour: 0, reasoning: 0, webSearches: 0 };

export type Prices = ReturnType<typeof createPrices>;

/** Creates the prices of model calls. Overrides apply to exact models and come first, then the price list. */
export function createPrices() {
  const highestOf = new WeakMap<PricedProvider, Rates>();

  /** Returns undefined if the model has no price. It's never 0 only because a model is unknown. */
  function priceOf(
    provider: PricedProvider,
    { requested, served = requested }: Models,
    usage: CallUsage,
    tier?: string,
  ): Price | undefined {
    const factor = factorOf(provider.api, tier);
    const override = overrideOf(provider, requested) ?? overrideOf(provider, served);
    if (override)
      return { micros: micros(cost(override, provider.api, usage) * factor), entry: 'override' };
    for (const model of [served, requested]) {
      const found = fromList(provider, model, usage);
      if (found) return { micros: micros(found.usd * factor), entry: found.entry };
    }
    return;
  }

  /** Price at the provider's highest known prices, for a model without a price. */
  function highestPrice(provider: PricedProvider, usage: CallUsage, tier?: string): Price {
    const usd = cost(highestRates(provider), provider.api, usage);
    return { micros: micros(usd * factorOf(provider.api, tier)), entry: 'unpriced' };
  }

  function highestRates(provider: PricedProvider): Rates {
    const known = highestOf.get(provider);
    if (known) return known;
    const own = Object.values(provider.prices ?? {}).map(ratesOf);
    const all = [...own, ...listModels(provider)];
    const highest = (name: keyof Rates) => Math.max(...all.map((rates) => rates[name]));
    const rates = { input: highest('input'), output: highest('output'), cached: highest('input') };
    highestOf.set(provider, rates);
    return rates;
  }

  const priced = (...call: Parameters<typeof priceOf>): Price =>
    priceOf(...call) ?? highestPrice(call[0], call[2], call[3]);

  return {
    /** Returns true if the model has a price, so that `unpriced: deny` allows it. */
    hasPrice: (provider: PricedProvider, model: string): boolean =>
      priceOf(provider, { requested: model }, { ...noTokens, input: 1, output: 1 }) !== undefined,

    /** Amount to reserve for a call, in micro-dollars. */
    estimate(provider: PricedProvider, model: string, requestBytes: number): number {
      const input = Math.ceil(requestBytes / bytesPerToken);
      const usage = { ...noTokens, input, output: estimatedOutputTokens };
      return Math.max(1, priced(provider, { requested: model }, usage).micros);
    },

    /**
     * Price of a call that has ended. If it was cut, or reported no usage, the missing tokens are estimated from the bytes
     * and the time, and `isEstimated` is true.
     */
    priceCall({ provider, model, read, requestBytes, cut }: EndedCall): Price & {
      isEstimated: boolean;
    } {
      const models = { requested: model, served: read.model };
      const usage =
        read.isFinal && read.usage ? read.usage : estimatedUsage(read, requestBytes, cut);
      return { ...priced(provider, models, usage, read.tier), isEstimated: !read.isFinal };
    },
  };
}

/** Tokens of a cut call: those that were reported, or as many as the bytes or the time stand for, whichever is more. */
function estimatedUsage(
  { usage, outputBytes }: ReadUsage,
  requestBytes: number,
  cut: CutCall | undefined,
): CallUsage {
  const visible = Math.ceil(outputBytes / bytesPerToken);
  const output = Math.max(visible, cut ? possibleOutput(cut) : 0);
  if (usage) return { ...usage, output: Math.max(usage.output, output) };
  return { ...noTokens, input: Math.ceil(requestBytes / bytesPerToken), output };
}

/** Output tokens that a model can have written until the call was cut. */
const possibleOutput = ({ afterMs, maxOutputTokens = defaultMaxOutputTokens }: CutCall) =>
  Math.min(maxOutputTokens, Math.ceil((afterMs / 1000) * outputTokensPerSecond));

function fromList(provider: PricedProvider, model: string, usage: CallUsage) {
  try {
    return listPrice(provider, model, usage);
  } catch {
    // The list throws on usage that it can't explain. Its highest price applies then.
    return;
  }
}

function overrideOf({ prices }: PricedProvider, model: string): Rates | undefined {
  const price = prices && Object.hasOwn(prices, model) ? prices[model] : undefined;
  return price && ratesOf(price);
}

const ratesOf = ({ input, output, cached }: ModelPrice): Rates => ({
  input,
  output,
  cached: cached ?? input,
});

/** Price in US dollars at fixed rates. */
function cost({ input, output, cached }: Rates, api: ModelApi, usage: CallUsage): number {
  const { cacheRead, cacheWrite, cacheWriteHour } = usage;
  const written =
    api === 'anthropic'
      ? cacheWrite * cacheWrites.fiveMinutes + cacheWriteHour * cacheWrites.hour
      : cacheWrite + cacheWriteHour;
  const plain = Math.max(0, usage.input - cacheRead - cacheWrite - cacheWriteHour);
  const perMillion = (plain + written) * input + cacheRead * cached + usage.output * output;
  return perMillion / 1_000_000 + usage.webSearches * webSearchUsd;
}

function factorOf(api: ModelApi, tier: string | undefined): number {
  const named = factors[api];
  const parts = tier?.split(' ') ?? [];
  return parts.reduce(
    (all, part) => all * (Object.hasOwn(named, part) ? (named[part] ?? 1) : 1),
    1,
  );
}

/** Rounds up, but ignores the errors of floating-point numbers. */
const micros = (usd: number) => Math.max(0, Math.ceil(usd * 1_000_000 - 1e-6));
