import { z } from 'zod';

const money = z.number().min(0.01).max(1_000_000);
const perMillionTokens = z.number().nonnegative().max(10_000);
const modelId = z.string().regex(/^[\x21-\x7e]{1,200}$/, { error: "must be a model's ID" });

/** Prices of a model, in US dollars for a million tokens. Without `cached`, cached input costs as much as other input. */
const priceSchema = z.strictObject({
  input: perMillionTokens,
  output: perMillionTokens,
  cached: perMillionTokens.optional(),
});
export type ModelPrice = z.infer<typeof priceSchema>;

/** Formats of requests that the model gateway understands. `openai` covers Responses and Chat Completions. */
export const modelApis = ['anthropic', 'openai', 'gemini'] as const;
export type ModelApi = (typeof modelApis)[number];

/** Schema of a model provider in the environments file. The gateway sends its key, and agents never get it. */
export const providerSchema = z.strictObject({
  api: z.enum(modelApis),
  /** File with the API key. It's read again when it changes. A local model server may need no key. */
  key_file: z.string().min(1).optional(),
  /**
   * Address of the provider. By default the public address of the API's vendor. For `openai`, it includes the version,
   * such as `https://api.openai.com/v1`, as in the clients of that API.
   */
  base_url: z.url({ protocol: /^https?$/ }).optional(),
  /** Exact IDs of the models that runs can use. By default all models of the provider. */
  allowed: z.array(modelId).min(1).max(200).optional(),
  /** Prices that replace those of the price list, by exact model ID. */
  prices: z.record(modelId, priceSchema).optional(),
  /** Decides if runs can use models without a price. They count at the provider's highest price. `allow` by default. */
  unpriced: z.enum(['allow', 'deny']).optional(),
  /** True if `base_url` can be an address of this machine or its network. */
  allow_private: z.boolean().optional(),
  /** True if agents can use tools that run at the provider, such as web search, which reach outside the sandbox. */
  server_tools: z.boolean().optional(),
});

/** Name of a provider. It's part of the URL that agents call. */
export const providerName = z.string().regex(/^[a-z][a-z0-9-]{0,31}$/, {
  error: 'must be a name of lowercase letters, digits and "-"',
});

/** A provider with its name. `key_file` is an absolute path. */
export type ModelProvider = z.infer<typeof providerSchema> & { name: string };

/** Schema of a cap in the environments file. Only the bot's rules know user groups, so no cap here can be for one. */
export const fileCapSchema = z
  .strictObject({
    scope: z.enum(['run', 'person', 'channel', 'environment', 'workspace']),
    usd: money,
    per: z.enum(['run', 'day', 'week', 'month']),
    /** IDs of the environments that the cap applies to. By default it applies to all. */
    environments: z.array(z.string()).min(1).optional(),
  })
  .refine(({ scope, per }) => (scope === 'run') === (per === 'run'), {
    error: 'has "scope: run" or "per: run", but not both',
  });
export type FileCap = z.infer<typeof fileCapSchema>;
