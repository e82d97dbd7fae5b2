/**
 * Keys of MCP servers in a field that people open: not shown, and put back on submission. See
 * docs/decisions/022-keys-of-mcp-servers-are-never-shown-again.md.
 */
import { isDeepStrictEqual } from 'node:util';
import {
  type AgentConfig,
  type McpServerConfig,
  mcpServerConfigSchema,
} from 'runs-client/contract';
import type { ReadMcpServers } from '../configuration/mcp-servers.ts';
import { notShown, secretMembers, withoutKeys, withoutSecrets } from './without-secrets.ts';

type McpServers = NonNullable<AgentConfig['mcp_servers']>;

/** As a field shows them: whoever opens it need not be who knows the keys. */
export function writeMcpServers(servers: AgentConfig['mcp_servers']): string {
  if (!servers) return '';
  const shown = Object.entries(servers).map(([name, server]) => [
    name,
    withoutSecrets(server, true),
  ]);
  return JSON.stringify(Object.fromEntries(shown), null, 2);
}

/** Below the field, in plain words. */
export const serversHint = (shown: string | undefined) =>
  shown?.includes(notShown)
    ? `${notShown} stands for something that is kept, such as a key: leave it, or write another.`
    : 'JSON, for example {"docs": {"url": "https://mcp.example.com"}}';

/** Where a field was filled from, in words, and the servers that are kept there now. */
export type ServersKept = { from: string | undefined; servers: AgentConfig['mcp_servers'] };

/** What was typed counts; what was left as `(not shown)` is taken from where the field was filled from. */
export function putKeysBack(written: McpServers, { from, servers }: ServersKept): ReadMcpServers {
  const whole: McpServers = {};
  for (const [name, server] of Object.entries(written)) {
    if (!hasHidden(server)) {
      whole[name] = server;
      continue;
    }
    const kept = servers && Object.hasOwn(servers, name) ? servers[name] : undefined;
    const filled = mcpServerConfigSchema.safeParse(putBack(server, kept)).data;
    if (!kept || !filled) return { error: notKept(name, from) };
    if (!isSamePlace(filled, kept)) return { error: forAnother(name) };
    if (hasHidden(filled)) return { error: notKept(name, from) };
    whole[name] = filled;
  }
  return { value: whole };
}

export const hasHidden = (value: unknown) => JSON.stringify(value)?.includes(notShown) ?? false;

function putBack(written: unknown, kept: unknown): unknown {
  if (written === notShown) return kept ?? written;
  if (typeof written === 'string' && typeof kept === 'string') {
    return written === withoutKeys(kept) ? kept : written;
  }
  if (typeof written !== 'object' || written === null) return written;
  const member = (key: string) =>
    typeof kept === 'object' && kept !== null && Object.hasOwn(kept, key)
      ? (kept as Record<string, unknown>)[key]
      : undefined;
  if (Array.isArray(written)) return written.map((each, at) => putBack(each, member(`${at}`)));
  return Object.fromEntries(
    Object.entries(written).map(([key, value]) => [key, putBack(value, member(key))]),
  );
}

/** A key goes only where it was meant to go: else a changed address would be a way to get it. */
function isSamePlace(one: McpServerConfig, other: McpServerConfig): boolean {
  const place = (server: McpServerConfig) =>
    Object.fromEntries(
      Object.entries(server).filter(([key]) => !secretMembers.has(key.toLowerCase())),
    );
  return isDeepStrictEqual(place(one), place(other));
}

const notKept = (name: string, from: string | undefined) =>
  from
    ? `${name}: what is shown as ${notShown} came from ${from}, and is gone from there. Write it anew, or leave the server out.`
    : `${name}: ${notShown} stands for nothing here. Write what belongs there.`;

const forAnother = (name: string) =>
  `${name}: what is shown as ${notShown} goes only with the address, command and arguments that it was kept for. Leave those as they were, or write it anew.`;
