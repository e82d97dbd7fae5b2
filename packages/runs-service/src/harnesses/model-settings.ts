import {
  type AgentModels,
  type AgentProvider,
  apiVersions,
  firstOf,
  modelUrlOf,
  usualModelVariables,
  withoutProxy,
} from './model-input.ts';
import { type Settings, tableOf } from './own-settings.ts';

/** Time without a byte after which agents give up a call, in ms. A call can wait for a person, and models can think. */
const maxSilenceMs = 30 * 60_000;

/** Returns a small model for titles and summaries. Undefined if the program's own choice is allowed. */
function smallModelOf({ allowed }: AgentProvider): string | undefined {
  return allowed?.find((id) => /haiku|nano|(?<!ge)mini|flash|lite|small/.test(id)) ?? allowed?.[0];
}

/** Settings are documented at https://code.claude.com/docs/en/env-vars */
export function claudeModels(models: AgentModels, given: Record<string, string>) {
  const provider = firstOf(models, 'anthropic');
  const small = provider && smallModelOf(provider);
  const quiet: Record<string, string> = {
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    CLAUDE_CODE_DISABLE_FAST_MODE: '1',
    CLAUDE_STREAM_IDLE_TIMEOUT_MS: String(maxSilenceMs),
    API_TIMEOUT_MS: String(maxSilenceMs),
    CLAUDE_CODE_DISABLE_NONSTREAMING_FALLBACK: '1',
    ...(small !== undefined && { ANTHROPIC_DEFAULT_HAIKU_MODEL: small }),
  };
  const usual = usualModelVariables(models, given);
  const { ANTHROPIC_BASE_URL, ANTHROPIC_API_KEY } = usual;
  return {
    variables: { ...usual, ...withoutGiven(quiet, given) },
    // Settings have priority over the settings in a repository, which could name another address.
    settings: {
      env: { ANTHROPIC_BASE_URL, ANTHROPIC_API_KEY },
      // Otherwise Claude Code asks its vendor about each domain, which a sandbox may not reach.
      skipWebFetchPreflight: true,
      ...(!provider?.server_tools && { permissions: { deny: ['WebSearch'] } }),
    },
  };
}

const withoutGiven = (defaults: Record<string, string>, given: Record<string, string>) =>
  Object.fromEntries(Object.entries(defaults).filter(([name]) => given[name] === undefined));

/** Settings are documented at https://developers.openai.com/codex/config-reference */
export function codexModels(models: AgentModels, given: Record<string, string>, own: Settings) {
  const provider = firstOf(models, 'openai');
  if (!provider) return { variables: {}, settings: own };
  const profiles = Object.entries(tableOf(own['profiles'])).map(([name, profile]) => {
    const { model_provider: _, ...rest } = tableOf(profile);
    return [name, rest] as const;
  });
  const settings = {
    check_for_update_on_startup: false,
    ...own,
    ...(profiles.length > 0 && { profiles: Object.fromEntries(profiles) }),
    model_provider: 'gateway',
    ...(!provider.server_tools && { web_search: 'disabled' }),
    model_providers: {
      ...tableOf(own['model_providers']),
      gateway: {
        name: 'gateway',
        base_url: `${modelUrlOf(models, provider)}${apiVersions.openai}`,
        env_key: 'MODEL_TOKEN',
        wire_api: 'responses',
        supports_websockets: false,
        stream_idle_timeout_ms: maxSilenceMs,
        // Tries for half a minute if the service restarts, and reports a rejected call soon.
        stream_max_retries: 6,
      },
    },
    analytics: { enabled: false, ...tableOf(own['analytics']) },
    features: { plugins: false, apps: false, ...tableOf(own['features']) },
  };
  const variables = { ...withoutProxy(given), MODEL_TOKEN: models.token };
  return { variables, settings };
}

/** Settings are documented at https://geminicli.com/docs/reference/configuration */
export function geminiModels(models: AgentModels, own: Settings): Settings {
  const provider = firstOf(models, 'gemini');
  const security = tableOf(own['security']);
  const tools = tableOf(own['tools']);
  const excluded = Array.isArray(tools['exclude']) ? tools['exclude'] : [];
  return {
    ...own,
    security: {
      ...security,
      auth: { ...tableOf(security['auth']), selectedType: 'gemini-api-key' },
    },
    privacy: { usageStatisticsEnabled: false, ...tableOf(own['privacy']) },
    general: { enableAutoUpdate: false, ...tableOf(own['general']) },
    ...(!provider?.server_tools && {
      tools: { ...tools, exclude: [...excluded, 'google_web_search', 'web_fetch'] },
    }),
  };
}

const opencodeQuiet = {
  OPENCODE_DISABLE_MODELS_FETCH: '1',
  OPENCODE_DISABLE_AUTOUPDATE: '1',
  OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
  OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
  OPENCODE_DISABLE_SHARE: '1',
};

/** OpenCode's names for the vendors of the APIs, and its packages for other providers with the same API. */
const opencodeNames = { anthropic: 'anthropic', openai: 'openai', gemini: 'google' } as const;
const opencodePackages = {
  anthropic: '@ai-sdk/anthropic',
  openai: '@ai-sdk/openai-compatible',
  gemini: '@ai-sdk/google',
} as const;

/** Settings are documented at https://opencode.ai/docs/providers */
export function opencodeModels(models: AgentModels, given: Record<string, string>, own: Settings) {
  const ownProviders = tableOf(own['provider']);
  const taken = new Set<string>();
  const named = models.providers.map((provider) => {
    const id = opencodeNameOf(provider, taken);
    taken.add(id);
    const known = tableOf(ownProviders[id]);
    const settings = {
      ...known,
      ...(id === opencodeNames[provider.api] ? {} : { npm: opencodePackages[provider.api] }),
      models: {
        ...Object.fromEntries((provider.allowed ?? []).map((model) => [model, {}])),
        ...tableOf(known['models']),
      },
      options: {
        ...tableOf(known['options']),
        baseURL: `${modelUrlOf(models, provider)}${apiVersions[provider.api]}`,
        apiKey: models.token,
        timeout: false,
        headerTimeout: maxSilenceMs,
        chunkTimeout: maxSilenceMs,
      },
    };
    const small = smallModelOf(provider);
    return { id, settings, small: small === undefined ? undefined : `${id}/${small}` };
  });
  const small = named.find((each) => each.small !== undefined)?.small;
  return {
    variables: { ...withoutProxy(given), ...withoutGiven(opencodeQuiet, given) },
    settings: {
      ...(small !== undefined && { small_model: small }),
      ...own,
      // Without this, OpenCode could choose another provider that needs no key.
      enabled_providers: named.map(({ id }) => id),
      provider: {
        ...ownProviders,
        ...Object.fromEntries(named.map((each) => [each.id, each.settings])),
      },
    },
  };
}

/**
 * Returns OpenCode's name for a provider, which comes before the model's ID and a slash. Servers that are compatible
 * with OpenAI keep their name, because most of them lack the Responses API that OpenCode uses with OpenAI.
 */
export function opencodeNameOf(
  { name, api, has_own_address: hasOwnAddress }: AgentProvider,
  taken: ReadonlySet<string>,
): string {
  const isVendor = name === api || api !== 'openai' || !hasOwnAddress;
  return isVendor && !taken.has(opencodeNames[api]) ? opencodeNames[api] : name;
}
