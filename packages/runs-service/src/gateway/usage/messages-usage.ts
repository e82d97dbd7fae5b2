import type { WantedValues } from './json-scanner.ts';
import { countIn, mergeAll, textIn, type UsageFormat } from './usage-format.ts';

const tokens = {
  input_tokens: 'value',
  output_tokens: 'value',
  cache_read_input_tokens: 'value',
  cache_creation_input_tokens: 'value',
  cache_creation: { ephemeral_5m_input_tokens: 'value', ephemeral_1h_input_tokens: 'value' },
} satisfies WantedValues;

const usage = {
  ...tokens,
  output_tokens_details: { thinking_tokens: 'value' },
  server_tool_use: { web_search_requests: 'value' },
  service_tier: 'value',
  speed: 'value',
  inference_geo: 'value',
  iterations: {
    '*': {
      input_tokens: Number,
      output_tokens: Number,
      cache_read_input_tokens: Number,
      cache_creation_input_tokens: Number,
      cache_creation: { ephemeral_1h_input_tokens: Number },
    },
  },
} satisfies WantedValues;

/**
 * Usage of Anthropic Messages. The numbers of a stream are cumulative: `message_start` has the first ones and each
 * `message_delta` newer ones. The totals leave out steps such as a compaction, which are only in `iterations`.
 */
export const messagesUsage: UsageFormat = {
  wanted: {
    type: 'value',
    model: 'value',
    usage,
    message: { model: 'value', usage },
    delta: { text: 'text', thinking: 'text', partial_json: 'text' },
    content: { '*': { text: 'text', thinking: 'text', input: 'text' } },
  },
  merge(values, reported) {
    mergeAll(values, reported, 'message.');
    const type = values.get('type');
    return type === 'message_stop' || type === 'message';
  },
  usage(reported) {
    const of = (name: string) => {
      const total = countIn(reported, `usage.${name}`);
      const ofSteps = countIn(reported, `usage.iterations.*.${name}`);
      return total === undefined ? ofSteps : Math.max(total, ofSteps ?? 0);
    };
    const input = of('input_tokens');
    const output = of('output_tokens');
    if (input === undefined && output === undefined) return;
    const cacheRead = of('cache_read_input_tokens') ?? 0;
    const hour = of('cache_creation.ephemeral_1h_input_tokens') ?? 0;
    const fiveMinutes = of('cache_creation.ephemeral_5m_input_tokens') ?? 0;
    const written = Math.max(of('cache_creation_input_tokens') ?? 0, hour + fiveMinutes);
    return {
      input: (input ?? 0) + cacheRead + written,
      cacheRead,
      cacheWrite: written - hour,
      cacheWriteHour: hour,
      output: output ?? 0,
      reasoning: of('output_tokens_details.thinking_tokens') ?? 0,
      webSearches: of('server_tool_use.web_search_requests') ?? 0,
    };
  },
  model: (reported) => textIn(reported, 'model'),
  tier(reported) {
    const names = ['service_tier', 'speed', 'inference_geo'];
    const parts = names.flatMap((name) => textIn(reported, `usage.${name}`) ?? []);
    return parts.length === 0 ? undefined : parts.join(' ');
  },
};
