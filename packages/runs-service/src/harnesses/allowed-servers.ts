import type { AgentConfig, McpServerConfig } from 'runs-client/contract';

/** Which MCP servers requests can bring: none, those at an address, or also programs that run with the agent. */
export type McpPolicy = 'none' | 'urls' | 'any';

const isAllowed = ({ command }: McpServerConfig, policy: McpPolicy) =>
  policy === 'any' || (policy === 'urls' && command === undefined);

/** The configuration with the servers that the environment allows, and the names of the others. */
export function withAllowedServers(
  config: AgentConfig,
  policy: McpPolicy = 'urls',
): { config: AgentConfig; refused: string[] } {
  const all = Object.entries(config.mcp_servers ?? {});
  const allowed = all.filter(([, server]) => isAllowed(server, policy));
  const refused = all.filter((each) => !allowed.includes(each)).map(([name]) => name);
  if (refused.length === 0) return { config, refused };
  return { config: { ...config, mcp_servers: Object.fromEntries(allowed) }, refused };
}
