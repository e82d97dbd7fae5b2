import { calcPrice, findProvider, type ModelPrice, type Provider } from '@pydantic/genai-prices';
import type { ModelApi, ModelProvider } from '../environments/models-config.ts';
import type { CallUsage } from './usage/call-usage.ts';

/** The price list comes with the release, and is never loaded from the network. */

/** Vendor of each API, whose prices apply if a provider's address isn't in the list. */
const vendors: Record<ModelApi, string> = {
  anthropic: 'anthropic',
  openai: 'openai',
  gemini: 'google',
};

/** Prices in US dollars for a million tokens. */
export type Rates = { input: number; output: number; cached: number };

export type ListProvider = Pick<ModelProvider, 'api' | 'base_url'>;

/** Price of a call in US dollars, and the entry of the list that matched, which can be a shorter ID than the model's. */
export function listPrice(
  provider: ListProvider,
  model: string,
  usage: CallUsage,
): { usd: number; entry: string } | undefined {
  const { id: providerId } = inList(provider) ?? {};
  if (providerId === undefined) return;
  const written = usage.cacheWrite + usage.cacheWriteHour;
  // The list rejects a total that is smaller than its parts.
  const input = Math.max(usage.input, usage.cacheRead + written);
  const tokens = {
    input_tokens: input,
    cache_read_tokens: usage.cacheRead,
    cache_write_tokens: written,
    cache_write_1h_tokens: usage.cacheWriteHour,
    output_tokens: usage.output,
    web_searches: usage.webSearches,
  };
  const price = calcPrice(tokens, model, { providerId });
  return price ? { usd: price.total_price, entry: `${providerId}/${price.model.id}` } : undefined;
}

/** All models that the list has for a provider. Prices of long contexts and other conditions count as the highest. */
export function listModels(provider: ListProvider): ({ model: string } & Rates)[] {
  const models = inList(provider)?.models ?? [];
  return models.flatMap(({ id, prices }) => {
    const all = Array.isArray(prices) ? prices.map((each) => each.prices) : [prices];
    const highest = (name: string) => Math.max(...all.map((each) => highestOf(each[name])));
    const input = highest('input_mtok');
    const output = highest('output_mtok');
    if (input === 0 && output === 0) return [];
    return [{ model: id, input, output, cached: highest('cache_read_mtok') || input }];
  });
}

function inList({ api, base_url: url }: ListProvider): Provider | undefined {
  const byAddress = url === undefined ? undefined : findProvider({ providerApiUrl: url });
  return byAddress ?? findProvider({ providerId: vendors[api] });
}

function highestOf(price: ModelPrice[string]): number {
  if (typeof price !== 'object') return price ?? 0;
  return Math.max(price.base, ...price.tiers.map((tier) => tier.price));
}
