import type { McpServer } from '@agentclientprotocol/sdk';
import type { McpServerConfig } from 'runs-client/contract';

const pairs = (values: Record<string, string> = {}) =>
  Object.entries(values).map(([name, value]) => ({ name, value }));

/** The servers as the protocol wants them, and the names of those that this agent can't reach. */
export function acpServers(
  servers: readonly [name: string, server: McpServerConfig][],
  canHttp: boolean,
): { servers: McpServer[]; skipped: string[] } {
  const isReachable = ([, { url }]: (typeof servers)[number]) => url === undefined || canHttp;
  return {
    skipped: servers.filter((each) => !isReachable(each)).map(([name]) => name),
    servers: servers
      .filter(isReachable)
      .map(([name, { command = '', args = [], env, url, headers }]) =>
        url === undefined
          ? { name, command, args, env: pairs(env) }
          : { type: 'http' as const, name, url, headers: pairs(headers) },
      ),
  };
}
