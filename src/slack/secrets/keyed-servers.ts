/** MCP servers with keys belong to the person who entered them. */
import type { AgentConfig, McpServerConfig } from 'runs-client/contract';
import { notShown, withoutSecrets } from './without-secrets.ts';

type Configured = { creatorId: string; config: AgentConfig };

export const hasKeyedServers = ({ mcp_servers: servers }: AgentConfig): boolean =>
  Object.values(servers ?? {}).some(hasKeys);

/** What someone may take over from a run: its creator everything, others no keys. */
export const configFor = (userId: string, { creatorId, config }: Configured): AgentConfig =>
  userId === creatorId ? config : withoutKeyedServers(config);

function withoutKeyedServers(config: AgentConfig): AgentConfig {
  const { mcp_servers: servers, ...others } = config;
  const open = Object.entries(servers ?? {}).filter(([, each]) => !hasKeys(each));
  return { ...others, ...(open.length > 0 && { mcp_servers: Object.fromEntries(open) }) };
}

const hasKeys = (server: McpServerConfig): boolean =>
  JSON.stringify(withoutSecrets(server, true)).includes(notShown);
