import { type AgentConfig, mcpServersSchema } from '../runs-api/contract.ts';

type ReadMcpServers = { value?: AgentConfig['mcp_servers']; error?: string };

/** Agents make tool names of these, so line breaks and endless names would fail late; the rest is theirs to judge. */
const namePattern = /^[^\p{Cc}]{1,64}$/u;

/** Reads what a person wrote into the MCP servers field. An empty field is fine and gives nothing. */
export function readMcpServers(text: string): ReadMcpServers {
  if (!text) return {};
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    return { error: explainJson(text, error) };
  }
  const result = mcpServersSchema.safeParse(json);
  if (!result.success) {
    const [issue] = result.error.issues;
    if (!issue || issue.path.length === 0) {
      return { error: 'This is not a map of servers: write {"name": {"url": "https://…"}}.' };
    }
    return { error: `${issue.path.join(' → ')}: ${issue.message}` };
  }
  const wrongName = Object.keys(result.data).find(
    (name) => name.trim() !== name || !namePattern.test(name),
  );
  if (wrongName === undefined) return { value: result.data };
  const shown = JSON.stringify(wrongName.slice(0, 30));
  return {
    error: `The name ${shown} must have 1 to 64 characters, no line break, no space around.`,
  };
}

function explainJson(text: string, error: unknown): string {
  const reason = error instanceof Error ? error.message : 'unreadable';
  const found = /position (\d+)/.exec(reason)?.[1];
  const position = found === undefined ? text.length : Number(found);
  const before = text.slice(0, position).split('\n');
  const line = before.length;
  const column = [...(before.at(-1) ?? '')].length + 1;
  const curly = /[“”„]/.test(text) ? ' Write straight quotes ("), not curly ones.' : '';
  return `This is not JSON, line ${line}, character ${column}: ${cleaned(reason)}.${curly}`;
}

/** V8 repeats the text around the error, and the place, which we say ourselves. */
const cleaned = (reason: string) =>
  reason
    .replace(/,? \.{3}.*is not valid JSON$/s, '')
    .replace(/, ".*" is not valid JSON$/s, '')
    .replace(/ in JSON at position.*$/s, '')
    .slice(0, 200);
