/**
 * Keys of MCP servers in form fields: hidden when the form opens, restored on submission. See
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

/** As a field shows them: the person who opens the form may not be the one who knows the keys. */
export function writeMcpServers(servers: AgentConfig['mcp_servers']): string {
  if (!servers) return '';
  const shown = Object.entries(servers).map(([name, server]) => [
    name,
    withoutSecrets(server, true),
  ]);
  return JSON.stringify(Object.fromEntries(shown), null, 2);
}

/** Below the field. */
export const serversHint = (shown: string | undefined) =>
  shown?.includes(notShown)
    ? `${notShown} is a saved value, such as a key. Leave it to keep it, or replace it.`
    : 'JSON, for example {"docs": {"url": "https://mcp.example.com"}}';

/** Where a field was filled from, in words, and the servers that are saved there now. */
export type SavedServers = { from: string | undefined; servers: AgentConfig['mcp_servers'] };

/** Replaces `(not shown)` with the saved value; everything that was typed stays. */
export function putKeysBack(written: McpServers, { from, servers }: SavedServers): ReadMcpServers {
  const restored: McpServers = {};
  for (const [name, server] of Object.entries(written)) {
    if (!hasHidden(server)) {
      restored[name] = server;
      continue;
    }
    const saved = servers && Object.hasOwn(servers, name) ? servers[name] : undefined;
    const filled = mcpServerConfigSchema.safeParse(putBack(server, saved)).data;
    if (!saved || !filled) return { error: notSaved(name, from) };
    if (!isSamePlace(filled, saved)) return { error: savedForAnother(name) };
    if (hasHidden(filled)) return { error: notSaved(name, from) };
    restored[name] = filled;
  }
  return { value: restored };
}

export const hasHidden = (value: unknown) => JSON.stringify(value)?.includes(notShown) ?? false;

function putBack(written: unknown, saved: unknown): unknown {
  if (written === notShown) return saved ?? written;
  if (typeof written === 'string' && typeof saved === 'string') {
    return written === withoutKeys(saved) ? saved : written;
  }
  if (typeof written !== 'object' || written === null) return written;
  const member = (key: string) =>
    typeof saved === 'object' && saved !== null && Object.hasOwn(saved, key)
      ? (saved as Record<string, unknown>)[key]
      : undefined;
  if (Array.isArray(written)) return written.map((each, at) => putBack(each, member(`${at}`)));
  return Object.fromEntries(
    Object.entries(written).map(([key, value]) => [key, putBack(value, member(key))]),
  );
}

/** A key is sent only where it was saved for: otherwise a changed address would reveal it. */
function isSamePlace(one: McpServerConfig, other: McpServerConfig): boolean {
  const place = (server: McpServerConfig) =>
    Object.fromEntries(
      Object.entries(server).filter(([key]) => !secretMembers.has(key.toLowerCase())),
    );
  return isDeepStrictEqual(place(one), place(other));
}

const notSaved = (name: string, from: string | undefined) =>
  from
    ? `${name}: the value for ${notShown} is no longer in ${from}. Enter it again, or remove the server.`
    : `${name}: there's no saved value for ${notShown}. Enter the value.`;

const savedForAnother = (name: string) =>
  `${name}: ${notShown} works only with the address, command and arguments it was saved with. Restore those, or enter the value again.`;
