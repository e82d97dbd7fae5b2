import type { CallUsage } from './call-usage.ts';
import type { WantedValues } from './json-scanner.ts';
import {
  countIn,
  mergeAll,
  type ReportedValues,
  textIn,
  type UsageFormat,
} from './usage-format.ts';

const response = {
  model: 'value',
  service_tier: 'value',
  output: { '*': { type: isSearch } },
  usage: {
    input_tokens: 'value',
    output_tokens: 'value',
    total_tokens: 'value',
    input_tokens_details: { cached_tokens: 'value', cache_write_tokens: 'value' },
    output_tokens_details: { reasoning_tokens: 'value' },
  },
} satisfies WantedValues;

const lastEvents = ['response.completed', 'response.incomplete', 'response.failed'];

/** Usage of OpenAI Responses: the last event of a stream has it, and so does a response that isn't a stream. */
export const responsesUsage: UsageFormat = {
  wanted: {
    ...response,
    output: { '*': { type: isSearch, content: { '*': { text: 'text' } }, arguments: 'text' } },
    type: 'value',
    object: 'value',
    response,
    delta: 'text',
  },
  merge(values, reported) {
    mergeAll(values, reported, 'response.');
    return lastEvents.includes(String(values.get('type'))) || values.has('object');
  },
  usage: (reported) => usageOf(reported, 'input_tokens', 'output_tokens'),
  model: (reported) => textIn(reported, 'model'),
  tier: (reported) => textIn(reported, 'service_tier'),
};

const message = {
  content: 'text',
  refusal: 'text',
  reasoning: 'text',
  reasoning_content: 'text',
  tool_calls: { '*': { function: { name: 'text', arguments: 'text' } } },
} satisfies WantedValues;

/**
 * Usage of Chat Completions. The chunk with it comes last, and has no choices. Some servers put it into the last chunk
 * with a choice, or into every chunk.
 */
export const chatUsage: UsageFormat = {
  wanted: {
    model: 'value',
    service_tier: 'value',
    choices: { '*': { finish_reason: 'value', delta: message, message } },
    usage: {
      prompt_tokens: 'value',
      completion_tokens: 'value',
      total_tokens: 'value',
      prompt_tokens_details: { cached_tokens: 'value', cache_write_tokens: 'value' },
      prompt_cache_hit_tokens: 'value',
      completion_tokens_details: { reasoning_tokens: 'value' },
    },
  },
  merge(values, reported) {
    mergeAll(values, reported);
    return values.has('usage.completion_tokens') && reported.has('choices.*.finish_reason');
  },
  usage: (reported) => usageOf(reported, 'prompt_tokens', 'completion_tokens'),
  model: (reported) => textIn(reported, 'model'),
  tier: (reported) => textIn(reported, 'service_tier'),
};

/** Input includes what was read from the cache. Output includes reasoning, which some servers add only to the total. */
function usageOf(
  reported: ReportedValues,
  inputName: string,
  outputName: string,
): CallUsage | undefined {
  const of = (name: string) => countIn(reported, `usage.${name}`);
  const input = of(inputName);
  const output = of(outputName);
  if (input === undefined && output === undefined) return;
  const cached = of(`${inputName}_details.cached_tokens`) ?? of('prompt_cache_hit_tokens') ?? 0;
  return {
    input: input ?? 0,
    cacheRead: cached,
    cacheWrite: of(`${inputName}_details.cache_write_tokens`) ?? 0,
    cacheWriteHour: 0,
    output: Math.max(output ?? 0, (of('total_tokens') ?? 0) - (input ?? 0)),
    reasoning: of(`${outputName}_details.reasoning_tokens`) ?? 0,
    webSearches: countIn(reported, 'output.*.type') ?? 0,
  };
}

function isSearch(type: string | number): number {
  return type === 'web_search_call' ? 1 : 0;
}
