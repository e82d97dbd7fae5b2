import type { CommandValues, HarnessName } from './agent-command.ts';

/** Path below a provider's URL that clients expect in the base URL of each API. */
export const apiVersions = { anthropic: '/v1', openai: '/v1', gemini: '/v1beta' } as const;
type ModelApi = keyof typeof apiVersions;

export type AgentProvider = {
  name: string;
  api: ModelApi;
  /** IDs of the models that the run can use. Undefined if it can use all models of the provider. */
  allowed?: readonly string[] | undefined;
  /** True if it isn't the API's vendor, such as a local model server. */
  has_own_address?: boolean | undefined;
  server_tools?: boolean | undefined;
};

/** Model gateway as the agent reaches it. Its settings contain the run's token instead of a key. */
export type AgentModels = {
  providers: readonly AgentProvider[];
  token: string;
  /** Address of the gateway, such as `http://127.0.0.1:3129`. A provider's URL is its name below this. */
  address: string;
};

const apiOf = {
  claude: 'anthropic',
  codex: 'openai',
  gemini: 'gemini',
} as const satisfies Partial<Record<HarnessName, ModelApi>>;

/** Returns the API whose providers a known agent can use. Undefined if it can use all. */
export const modelApiOf = (harness: string | undefined): ModelApi | undefined =>
  harness !== undefined && harness in apiOf ? apiOf[harness as keyof typeof apiOf] : undefined;

const minuteMs = 60_000;

/**
 * Returns how long a call of this agent can wait for its response headers, in ms. The first three agents get settings
 * for longer waits, see `model-settings.ts`. Gemini CLI has a fixed limit of 60 seconds, and other agents have unknown limits.
 */
export const headersWithinMsOf = (harness: string | undefined): number =>
  harness === 'claude' || harness === 'codex' || harness === 'opencode' ? 20 * minuteMs : 45_000;

/** Variables of each API that contain a key or an address. With `models`, only the service sets them. */
export const modelVariables: Record<ModelApi, readonly string[]> = {
  anthropic: [
    ...['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'ANTHROPIC_BASE_URL'],
    ...['CLAUDE_CODE_OAUTH_TOKEN', 'CLAUDE_CODE_USE_BEDROCK', 'CLAUDE_CODE_USE_VERTEX'],
  ],
  openai: ['OPENAI_API_KEY', 'CODEX_API_KEY', 'OPENAI_BASE_URL'],
  gemini: [
    ...['GEMINI_API_KEY', 'GOOGLE_API_KEY', 'GOOGLE_GEMINI_BASE_URL'],
    ...['GOOGLE_GENAI_USE_VERTEXAI', 'GOOGLE_VERTEX_BASE_URL'],
  ],
};

/** Returns a provider's URL at the gateway. */
export const modelUrlOf = ({ address }: AgentModels, { name }: Pick<AgentProvider, 'name'>) =>
  `${address}/${name}`;

/** Returns the provider that an agent uses for an API. It's the first one that the environment names. */
export const firstOf = ({ providers }: AgentModels, api: ModelApi) =>
  providers.find((provider) => provider.api === api);

const loopback = ['localhost', '127.0.0.1', '::1'];

/** Returns the hosts without a proxy. The gateway is always one of them, because a proxy can't reach it. */
export function withoutProxy(variables: Record<string, string>) {
  const { NO_PROXY, no_proxy } = variables;
  const given = (NO_PROXY ?? no_proxy ?? '').split(',').map((host) => host.trim());
  const all = [...new Set([...given, ...loopback])].filter(Boolean).join(',');
  return { NO_PROXY: all, no_proxy: all };
}

/** Returns the variables with which most programs find the gateway, for each API that the environment has. */
export function usualModelVariables(
  models: AgentModels,
  variables: Record<string, string>,
): Record<string, string> {
  const { token } = models;
  const [anthropic, openai, gemini] = (['anthropic', 'openai', 'gemini'] as const).map((api) =>
    firstOf(models, api),
  );
  return {
    ...withoutProxy(variables),
    ...(anthropic && {
      ANTHROPIC_BASE_URL: modelUrlOf(models, anthropic),
      ANTHROPIC_API_KEY: token,
    }),
    ...(openai && {
      OPENAI_BASE_URL: `${modelUrlOf(models, openai)}${apiVersions.openai}`,
      OPENAI_API_KEY: token,
    }),
    ...(gemini && {
      GOOGLE_GEMINI_BASE_URL: modelUrlOf(models, gemini),
      GEMINI_API_KEY: token,
    }),
  };
}

/** Returns the values of `{model_url}` and `{model_token}`, for the first provider that the environment names. */
export function modelValues(models: AgentModels): CommandValues {
  const [first] = models.providers;
  return { model_token: models.token, ...(first && { model_url: modelUrlOf(models, first) }) };
}

/** Returns the names of these variables that contain keys of models. Agents that get them can read and print the keys. */
export const modelKeysIn = (variables: Record<string, unknown>): string[] =>
  Object.keys(variables).filter(
    (name) =>
      /_(KEY|TOKEN)$/.test(name) &&
      Object.values(modelVariables).some((names) => names.includes(name)),
  );
