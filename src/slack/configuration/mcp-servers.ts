import { isDeepStrictEqual } from 'node:util';
/**
 * Reads and writes the MCP servers field. Keys are hidden when the form opens and restored on submission. See
 * docs/decisions/017-keys-are-never-shown-again-or-borrowed.md.
 */
import { type AgentConfig, type McpServerConfig, mcpServersSchema } from 'runs-client/contract';
import type { z } from 'zod';
import { limits, shorten } from '../text/escape-text.ts';
import { originText } from './run-defaults.ts';
import { notShown, withoutSecrets } from './without-secrets.ts';

export type ReadMcpServers = { value?: AgentConfig['mcp_servers']; error?: string };

/**
 * Matches valid server names. Agents build tool names from them, so line breaks and long names would fail in the run.
 */
const namePattern = /^[^\p{Cc}]{1,64}$/u;

const maxIssues = 5;

/** Reads the MCP servers field. An empty field gives no value. */
export function readMcpServers(text: string): ReadMcpServers {
  if (!text) return {};
  const { json, mistake } = parseJson(text);
  if (mistake) return { error: mistake };
  const result = mcpServersSchema.safeParse(json);
  if (!result.success) {
    const { issues } = result.error;
    if (issues.some(({ path }) => path.length === 0)) {
      return { error: 'This isn\'t a map of servers. Use {"name": {"url": "https://…"}}.' };
    }
    const problems = issues.map((issue) => `${issue.path.join(' → ')} ${issueText(issue)}`);
    return { error: shorten([...new Set(problems)].slice(0, maxIssues).join(' · '), 500) };
  }
  const wrongName = Object.keys(result.data).find(
    (name) => name.trim() !== name || !namePattern.test(name),
  );
  if (wrongName === undefined) return { value: result.data };
  const shown = JSON.stringify(wrongName.slice(0, 30));
  return {
    error: `The name ${shown} must have 1 to 64 characters, no line breaks, and no spaces around it.`,
  };
}

/** Describes a problem in terms of quotes, braces and brackets, as people see them in JSON. */
function issueText(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return shapes[issue.expected] ?? issue.message;
    case 'invalid_key':
      return 'must have a name';
    default:
      return issue.message;
  }
}

const shapes: Partial<Record<string, string>> = {
  string: 'must be text in quotes',
  array: 'must be a list in brackets: […]',
  object: 'must be a map in braces: {…}',
  record: 'must be a map in braces: {…}',
};

function parseJson(text: string): { json?: unknown; mistake?: string } {
  try {
    return { json: JSON.parse(text) };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const curly = /[“”„]/.test(text) ? ' Use straight quotes ("), not curly ones.' : '';
    const problem = error.message.replace(
      / in JSON at position (\d+).*/s,
      (_, at: string) => ` in line ${text.slice(0, Number(at)).split('\n').length}`,
    );
    return { mistake: `This isn't valid JSON: ${shorten(problem, 300)}.${curly}` };
  }
}

type McpServers = NonNullable<AgentConfig['mcp_servers']>;

/** Writes servers for a field, without keys, because the person who opens the form may not know them. */
export function writeMcpServers(servers: AgentConfig['mcp_servers']): string {
  if (!servers) return '';
  const shown = Object.fromEntries(
    Object.entries(servers).map(([name, server]) => [name, shownServer(server)]),
  );
  const text = JSON.stringify(shown, null, 2);
  // Write the servers without indentation if they would be cut, because a cut text couldn't be submitted.
  return text.length > limits.inputValue ? JSON.stringify(shown) : text;
}

export const serversHint = (shown: string | undefined) =>
  shown?.includes(notShown)
    ? `${notShown} is a saved value, such as a key. Leave it unchanged to keep the value. If you change the server, enter all its values again.`
    : 'JSON, for example {"docs": {"url": "https://mcp.example.com"}}';

/** Stored servers from which the field was filled. `from` names their origin, such as a preset. */
export type SavedServers = { from: string | undefined; servers: AgentConfig['mcp_servers'] };

/**
 * Replaces `(not shown)` with the saved values. All other fields of the server must be unchanged. An edit could
 * otherwise send a saved key to another address. Only header values can be replaced by typing.
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
    ? `${name}: the value for ${notShown} is no longer saved (${originText(from)}). Enter it again, or remove the server.`
    : `${name}: there's no saved value for ${notShown}. Enter the value.`;

const changed = (name: string) =>
  `${name}: ${notShown} works only with the address, command, arguments, environment and header names it was saved with. Restore those, or enter every value again.`;
