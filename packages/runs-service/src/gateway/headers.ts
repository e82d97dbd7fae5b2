import type { IncomingHttpHeaders } from 'node:http';
import type { ModelApi } from '../environments/models-config.ts';

const sentNames = new Set(['accept', 'user-agent', 'openai-beta', 'x-goog-api-client']);
const sentPrefixes = ['anthropic-', 'x-stainless-', 'x-claude-code-', 'x-codex-'];
const sessionNames = new Set(['session-id', 'thread-id', 'session_id', 'conversation_id']);
/** Headers that select an account at the provider. */
const accountNames = new Set(['anthropic-workspace-id', 'anthropic-organization-id']);

/**
 * Returns the headers for the provider: those that the API needs, and the provider's key. The agent's own credentials,
 * cookies and account headers aren't among them.
 */
export function headersForProvider(
  api: ModelApi,
  headers: IncomingHttpHeaders,
  key: string | undefined,
): Record<string, string> {
  const sent: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (typeof value !== 'string' || accountNames.has(name)) continue;
    const isKnown = sentNames.has(name) || sessionNames.has(name);
    if (isKnown || sentPrefixes.some((prefix) => name.startsWith(prefix))) sent[name] = value;
  }
  // A compressed response would hide its usage.
  sent['accept-encoding'] = 'identity';
  sent['content-type'] = 'application/json';
  if (key !== undefined) {
    if (api === 'anthropic') sent['x-api-key'] = key;
    if (api === 'openai') sent['authorization'] = `Bearer ${key}`;
    if (api === 'gemini') sent['x-goog-api-key'] = key;
  }
  return sent;
}

const passedNames = [
  ...['content-type', 'cache-control', 'retry-after', 'x-should-retry'],
  ...['openai-model', 'openai-processing-ms', 'x-codex-turn-state', 'x-reasoning-included'],
];

type UpstreamHeaders = Record<string, string | string[] | undefined>;

/** Returns the headers of a provider's response that the agent gets. None of them names the account. */
export function headersForAgent(headers: UpstreamHeaders): Record<string, string> {
  const passed: Record<string, string> = {};
  for (const name of passedNames) {
    const value = headers[name];
    if (typeof value === 'string') passed[name] = value;
  }
  return passed;
}

/** Returns the ID that a provider gave the call, for its support. */
export function upstreamIdOf(headers: UpstreamHeaders): string | undefined {
  const id = headers['request-id'] ?? headers['x-request-id'];
  return typeof id === 'string' ? id.slice(0, 200) : undefined;
}
