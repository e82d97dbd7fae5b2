import { type AgentConfig, mcpServersSchema } from 'runs-client/contract';
import type { z } from 'zod';
import { shorten } from '../../text/escape-text.ts';

export type ReadMcpServers = { value?: AgentConfig['mcp_servers']; error?: string };

/** Agents build tool names from these, so line breaks and very long names would fail late. */
const namePattern = /^[^\p{Cc}]{1,64}$/u;

const mostIssues = 5;

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
    const problems = issues.map((issue) => `${issue.path.join(' → ')} ${inWords(issue)}`);
    return { error: shorten([...new Set(problems)].slice(0, mostIssues).join(' · '), 500) };
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

/** The parser names types; people who write JSON see quotes, braces and brackets. */
function inWords(issue: z.core.$ZodIssue): string {
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
