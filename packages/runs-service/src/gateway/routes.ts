import type { ModelApi, ModelProvider } from '../environments/models-config.ts';

/** Format of a call's response, which decides how its usage is read. */
export type Flavor = 'messages' | 'responses' | 'chat' | 'gemini';

/** Call that the gateway sends to a provider. */
export type CallRoute = {
  kind: 'call';
  flavor: Flavor;
  /** Path and query at the provider, after its base URL. */
  upstreamPath: string;
  /** True for calls that cost nothing, such as counting tokens. */
  isFree: boolean;
  /** Model and stream flag of APIs that have them in the path. Otherwise, the body contains them. */
  inPath: { model: string; isStream: boolean } | undefined;
};
type OwnRoute = { kind: 'models' } | { kind: 'base' } | { kind: 'unknown' };

export type Routed = {
  provider: ModelProvider;
  route: CallRoute | OwnRoute;
  /** Token in the query, which clients of Gemini can send. */
  queryKey: string | undefined;
};

type Fixed = Pick<CallRoute, 'flavor' | 'upstreamPath' | 'isFree'>;

const fixed = (flavor: Flavor, upstreamPath: string, isFree = false): Fixed => ({
  flavor,
  upstreamPath,
  isFree,
});

/** Calls by API and path. Base URLs of `openai` include the version, as in all OpenAI clients. */
const calls: Record<Exclude<ModelApi, 'gemini'>, Record<string, Fixed>> = {
  anthropic: {
    '/v1/messages': fixed('messages', '/v1/messages'),
    '/v1/messages?beta=true': fixed('messages', '/v1/messages?beta=true'),
    '/v1/messages/count_tokens': fixed('messages', '/v1/messages/count_tokens', true),
    '/v1/messages/count_tokens?beta=true': fixed(
      'messages',
      '/v1/messages/count_tokens?beta=true',
      true,
    ),
  },
  openai: {
    '/v1/responses': fixed('responses', '/responses'),
    '/v1/responses/compact': fixed('responses', '/responses/compact'),
    '/v1/chat/completions': fixed('chat', '/chat/completions'),
  },
};

const modelsPaths: Record<ModelApi, RegExp> = {
  anthropic: /^\/v1\/models(\?[\w=&.-]*)?$/,
  openai: /^\/v1\/models$/,
  gemini: /^\/v1beta\/models(\?[\w=&.-]*)?$/,
};

const geminiPath =
  /^\/v1beta\/models\/([a-z0-9.-]+):(generateContent|streamGenerateContent|countTokens)(?:\?([\w=&-]*))?$/;

/**
 * Finds the route of a request by its raw method and URL, so that no encoding or `..` reaches a provider. Returns
 * undefined if the first part of the path isn't a provider of the run.
 */
export function findRoute(
  method: string,
  url: string,
  providers: readonly ModelProvider[],
): Routed | undefined {
  const [, name, path = ''] = /^\/([a-z][a-z0-9-]*)((?:[/?].*)?)$/.exec(url) ?? [];
  const provider = providers.find((each) => each.name === name);
  if (!provider) return undefined;
  const unknown: Routed = { provider, route: { kind: 'unknown' }, queryKey: undefined };
  if (/[%\\;]|\.\.|\/\//.test(path)) return unknown;
  if (method === 'GET' || method === 'HEAD') {
    if (path === '' || path === '/') return { ...unknown, route: { kind: 'base' } };
    if (!modelsPaths[provider.api].test(path)) return unknown;
    return { ...unknown, route: { kind: 'models' }, queryKey: queryKeyOf(path) };
  }
  if (method !== 'POST') return unknown;
  if (provider.api === 'gemini') return geminiRoute(path, unknown);
  const paths = calls[provider.api];
  const found = Object.hasOwn(paths, path) ? paths[path] : undefined;
  if (!found) return unknown;
  return { ...unknown, route: { kind: 'call', ...found, inPath: undefined } };
}

const queryKeyOf = (path: string) => /[?&]key=([\w-]+)/.exec(path)?.[1];

function geminiRoute(path: string, unknown: Routed): Routed {
  const [, model = '', action = '', query = ''] = geminiPath.exec(path) ?? [];
  const isStream = action === 'streamGenerateContent';
  const others = query.split('&').filter((each) => each !== '' && !each.startsWith('key='));
  // Without `alt=sse`, a stream is one JSON array, in which nothing can be said until its end.
  const isKnown = isStream ? others.join() === 'alt=sse' : others.length === 0;
  if (action === '' || !isKnown) return unknown;
  return {
    ...unknown,
    route: {
      kind: 'call',
      flavor: 'gemini',
      upstreamPath: `/v1beta/models/${model}:${action}${isStream ? '?alt=sse' : ''}`,
      isFree: action === 'countTokens',
      inPath: { model, isStream },
    },
    queryKey: queryKeyOf(path),
  };
}
