export const notShown = '(not shown)';
export const secretMembers: ReadonlySet<string> = new Set([
  'headers',
  'env',
  'authorization',
  'token',
  'api_key',
  'password',
]);

/**
 * A copy of a run or configuration for people to read. MCP servers carry keys in `headers`, `env` and `args`; their
 * names stay, their values do not.
 */
export function withoutSecrets(value: unknown, insideServers = false): unknown {
  if (Array.isArray(value)) return value.map((each) => withoutSecrets(each, insideServers));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => {
      if (secretMembers.has(key.toLowerCase()) || (insideServers && key === 'args')) {
        return [key, hide(member)];
      }
      return [key, withoutSecrets(member, insideServers || key === 'mcp_servers')];
    }),
  );
}

function hide(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(() => notShown);
  if (typeof value !== 'object' || value === null) return notShown;
  return Object.fromEntries(Object.keys(value).map((key) => [key, notShown]));
}
