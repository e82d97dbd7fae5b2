import { type AgentConfig, mcpServersSchema } from 'runs-client/contract';
import type { z } from 'zod';
import { shorten } from '../text/blocks.ts';
import { findJsonMistake, type JsonMistake } from '../text/json-mistake.ts';

export type ReadMcpServers = { value?: AgentConfig['mcp_servers']; error?: string };

/** Agents make tool names of these, so line breaks and endless names would fail late; the rest is theirs to judge. */
const namePattern = /^[^\p{Cc}]{1,64}$/u;

const issuesSaid = 5;

/** Reads what a person wrote into the MCP servers field. An empty field is fine and gives nothing. */
export function readMcpServers(text: string): ReadMcpServers {
  if (!text) return {};
  const mistake = findJsonMistake(text);
  if (mistake) return { error: explain(text, mistake) };
  const result = mcpServersSchema.safeParse(JSON.parse(text));
  if (!result.success) {
    const { issues } = result.error;
    if (issues.some(({ path }) => path.length === 0)) {
      return { error: 'This is not a map of servers: write {"name": {"url": "https://…"}}.' };
    }
    const said = issues.map((issue) => `${issue.path.join(' → ')} ${inWords(issue)}`);
    return { error: shorten([...new Set(said)].slice(0, issuesSaid).join(' · '), 500) };
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

/** A parser speaks of types; whoever writes JSON sees quotes, braces and brackets. */
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
  string: 'must be a text in quotes',
  array: 'must be a list in brackets: […]',
  object: 'must be a map in braces: {…}',
  record: 'must be a map in braces: {…}',
};

function explain(text: string, { at, problem }: JsonMistake): string {
  const before = text.slice(0, at).split('\n');
  const column = [...(before.at(-1) ?? '')].length + 1;
  const curly = /[“”„]/.test(text) ? ' Write straight quotes ("), not curly ones.' : '';
  return `This is not JSON: line ${before.length}, character ${column}: ${problem}.${curly}`;
}
