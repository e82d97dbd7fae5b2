export const notShown = '(not shown)';
const secretMembers: ReadonlySet<string> = new Set([
  'headers',
  'env',
  'authorization',
  'token',
  'api_key',
  'password',
]);

/**
 * Copies a run or configuration without its secrets, so that people can read it. Hides values of headers and variables,
 * but keeps their names. Hides arguments and keys in addresses of MCP servers, because they can be secrets.
 */
export function withoutSecrets(value: unknown, insideServers = false): unknown {
  if (Array.isArray(value)) return value.map((each) => withoutSecrets(each, insideServers));
  if (typeof value === 'string' && insideServers) return withoutKeys(value);
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

const addressPattern = /^([a-z][a-z0-9+.-]*:\/\/)([^/?#]*)([^?#]*)(\?[^#]*)?(#.*)?$/is;
/** Matches path segments that are probably keys, because they're long and have a digit. */
const keyLike = /^(?=.*\d)[^/]{20,}$/;

/** Hides keys in an address, and keeps its host and path. Other text is returned unchanged. */
export function withoutKeys(text: string): string {
  const [, scheme, authority = '', path = '', query, fragment] = addressPattern.exec(text) ?? [];
  if (!scheme) return text;
  const at = authority.lastIndexOf('@');
  const host = at < 0 ? authority : `${notShown}${authority.slice(at)}`;
  const parts = path.split('/').map((part) => (keyLike.test(part) ? notShown : part));
  const parameters = query && `?${query.slice(1).split('&').map(hideParameter).join('&')}`;
  return `${scheme}${host}${parts.join('/')}${parameters ?? ''}${fragment ? `#${notShown}` : ''}`;
}

function hideParameter(parameter: string): string {
  const cut = parameter.indexOf('=');
  if (!parameter) return parameter;
  return cut < 0 ? notShown : `${parameter.slice(0, cut)}=${notShown}`;
}
