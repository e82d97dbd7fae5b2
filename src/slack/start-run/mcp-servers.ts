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
  const place = issue?.path.join(' → ') || 'The whole';
  return { error: `${place}: ${issue?.message ?? 'not a map of servers'}` };
}
