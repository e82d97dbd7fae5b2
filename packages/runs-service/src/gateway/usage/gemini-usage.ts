import { countIn, mergeAll, textIn, type UsageFormat } from './usage-format.ts';

/**
 * Usage of Gemini's `generateContent`. Each chunk can have newer numbers. The prompt includes what was read from the
 * cache; thoughts and the results of tools come on top.
 */
export const geminiUsage: UsageFormat = {
  wanted: {
    modelVersion: 'value',
    usageMetadata: {
      promptTokenCount: 'value',
      candidatesTokenCount: 'value',
      cachedContentTokenCount: 'value',
      thoughtsTokenCount: 'value',
      toolUsePromptTokenCount: 'value',
      serviceTier: 'value',
    },
    promptFeedback: { blockReason: 'value' },
    candidates: {
      '*': {
        finishReason: 'value',
        content: { parts: { '*': { text: 'text', functionCall: 'text' } } },
      },
    },
  },
  merge(values, reported) {
    mergeAll(values, reported);
    const hasEnded = reported.has('candidates.*.finishReason');
    return hasEnded || reported.has('promptFeedback.blockReason');
  },
  usage(reported) {
    const of = (name: string) => countIn(reported, `usageMetadata.${name}`);
    const prompt = of('promptTokenCount');
    const candidates = of('candidatesTokenCount');
    if (prompt === undefined && candidates === undefined) return;
    const thoughts = of('thoughtsTokenCount') ?? 0;
    return {
      input: (prompt ?? 0) + (of('toolUsePromptTokenCount') ?? 0),
      cacheRead: of('cachedContentTokenCount') ?? 0,
      cacheWrite: 0,
      cacheWriteHour: 0,
      output: (candidates ?? 0) + thoughts,
      reasoning: thoughts,
      webSearches: 0,
    };
  },
  model: (reported) => textIn(reported, 'modelVersion'),
  tier: (reported) => textIn(reported, 'usageMetadata.serviceTier')?.toLowerCase(),
};
