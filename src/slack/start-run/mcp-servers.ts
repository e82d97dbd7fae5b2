import { type AgentConfig, mcpServersSchema } from '../../runs-api/contract.ts';

type ReadMcpServers = { value?: AgentConfig['mcp_servers']; error?: string };

/** Reads what a person wrote into the MCP servers field. An empty field is fine and gives nothing. */
export function readMcpServers(text: string): ReadMcpServers {
  if (!text) return {};
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    return { error: `This is not JSON: ${error instanceof Error ? error.message : 'unreadable'}` };
  }
  const result = mcpServersSchema.safeParse(json);
  if (result.success) return { value: result.data };
  const [issue] = result.error.issues;
  if (!issue || issue.path.length === 0) {
    return { error: 'This is not a map of servers: write {"name": {"url": "https://…"}}.' };
  }
  return { error: `${issue.path.join(' → ')}: ${issue.message}` };
}
