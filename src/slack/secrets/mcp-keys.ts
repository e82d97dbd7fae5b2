/**
 * Keys of MCP servers in form fields: hidden when the form opens, restored on submission. See
 * docs/decisions/017-keys-are-never-shown-again-or-borrowed.md.
 */
import { isDeepStrictEqual } from 'node:util';
import type { AgentConfig, McpServerConfig } from 'runs-client/contract';
import type { ReadMcpServers } from '../configuration/form/mcp-servers.ts';
import { limits } from '../text/slack-limits.ts';
import { notShown, withoutSecrets } from './without-secrets.ts';

type McpServers = NonNullable<AgentConfig['mcp_servers']>;

/** As a field shows them: the person who opens the form may not be the one who knows the keys. */
export function writeMcpServers(servers: AgentConfig['mcp_servers']): string {
  if (!servers) return '';
  const shown = Object.fromEntries(
    Object.entries(servers).map(([name, server]) => [name, shownServer(server)]),
  );
  const text = JSON.stringify(shown, null, 2);
  // A field would cut it, and nobody could submit the form.
  return text.length > limits.inputValue ? JSON.stringify(shown) : text;
}

/** Below the field. */
export const serversHint = (shown: string | undefined) =>
  shown?.includes(notShown)
    ? `${notShown} is a saved value, such as a key. Leave it to keep it. If you change the server, enter all its values again.`
    : 'JSON, for example {"docs": {"url": "https://mcp.example.com"}}';

/** Where a field was filled from, in words, and the servers that are saved there now. */
export type SavedServers = { from: string | undefined; servers: AgentConfig['mcp_servers'] };

/**
 * Replaces `(not shown)` with the saved values. A server gets them only while it's the saved one: everything else, `env`
 * included, must be as it was shown. Only values of headers may be typed over, because they can't lead a key elsewhere.
 */
export function putKeysBack(written: McpServers, { from, servers }: SavedServers): ReadMcpServers {
  const restored: McpServers = {};
  for (const [name, server] of Object.entries(written)) {
    if (!hasHidden(server)) {
      restored[name] = server;
      continue;
    }
    const saved = servers && Object.hasOwn(servers, name) ? servers[name] : undefined;
    if (!saved) return { error: notSaved(name, from) };
    if (!isAsShown(server, saved)) return { error: changed(name) };
    const filled = { ...saved, ...(saved.headers && { headers: headersOf(server, saved) }) };
    if (hasHidden(filled)) return { error: notSaved(name, from) };
    restored[name] = filled;
  }
  return { value: restored };
}

export const hasHidden = (value: unknown) => JSON.stringify(value)?.includes(notShown) ?? false;

function isAsShown(written: McpServerConfig, saved: McpServerConfig): boolean {
  const comparable = ({ headers, ...others }: McpServerConfig) => ({
    ...others,
    names: Object.keys(headers ?? {}).sort(),
  });
  return isDeepStrictEqual(comparable(written), comparable(shownServer(saved)));
}

const headersOf = (written: McpServerConfig, saved: McpServerConfig) => ({
  ...written.headers,
  ...Object.fromEntries(
    Object.entries(saved.headers ?? {}).filter(([name]) => written.headers?.[name] === notShown),
  ),
});

const shownServer = (server: McpServerConfig) => withoutSecrets(server, true) as McpServerConfig;

const notSaved = (name: string, from: string | undefined) =>
  from
    ? `${name}: the value for ${notShown} is no longer in ${from}. Enter it again, or remove the server.`
    : `${name}: there's no saved value for ${notShown}. Enter the value.`;

const changed = (name: string) =>
  `${name}: ${notShown} works only with the address, command, arguments, environment and header names it was saved with. Restore those, or enter every value again.`;
