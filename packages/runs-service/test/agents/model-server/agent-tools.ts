import type { Asked, Turn } from './script.ts';

/** Answer of the model. A tool that accepts free text has a string as its input. */
export type Answer = { text: string } | { tool: string; input: Record<string, unknown> | string };

type Use = (turn: Turn) => Record<string, unknown> | string | undefined;

const shell =
  (input: (command: string) => Record<string, unknown>): Use =>
  (turn) =>
    'run' in turn ? input(turn.run) : undefined;
const file =
  (input: (path: string, content: string) => Record<string, unknown> | string): Use =>
  (turn) =>
    'write' in turn ? input(turn.write, turn.content) : undefined;
const plan =
  (input: (items: { title: string; status: string }[]) => Record<string, unknown>): Use =>
  (turn) => {
    if (!('plan' in turn)) return undefined;
    const status = (index: number) => (index === 0 ? 'in_progress' : 'pending');
    return input(turn.plan.map((title, index) => ({ title, status: status(index) })));
  };

const addFile = (path: string, content: string) => {
  const lines = content.trimEnd().split('\n');
  const added = lines.map((line) => `+${line}`).join('\n');
  return `*** Begin Patch\n*** Add File: ${path}\n${added}\n*** End Patch\n`;
};

/** Calls of the agents' own tools, by their names. */
const agentTools: Record<string, Use> = {
  // Tools of the program Claude Code.
  Bash: shell((command) => ({ command, description: 'Run a command' })),
  Write: file((file_path, content) => ({ file_path, content })),
  TodoWrite: plan((items) => ({
    todos: items.map(({ title, status }) => ({ content: title, status, activeForm: title })),
  })),
  // Tools of the Codex CLI.
  exec_command: shell((cmd) => ({ cmd })),
  shell_command: shell((command) => ({ command })),
  apply_patch: file(addFile),
  update_plan: plan((items) => ({
    plan: items.map(({ title, status }) => ({ step: title, status })),
  })),
  // Tools of the Gemini CLI.
  run_shell_command: shell((command) => ({ command, description: 'Run a command' })),
  write_file: file((file_path, content) => ({ file_path, content })),
  write_todos: plan((items) => ({
    todos: items.map(({ title, status }) => ({ description: title, status })),
  })),
  // Tools of the program OpenCode.
  bash: shell((command) => ({ command, description: 'Run a command' })),
  write: file((filePath, content) => ({ filePath, content })),
  todowrite: plan((items) => ({
    todos: items.map(({ title, status }) => ({ content: title, status, priority: 'high' })),
  })),
};

/** Tool with which Codex's model finds the tools of MCP servers. */
export const searchTool = 'tool_search';

/** Returns the model's answer in a turn, with the agent's tool that fits it. */
export function answerOf(turn: Turn, { messages, tools }: Asked): Answer {
  if ('say' in turn) return { text: turn.say };
  if ('recall' in turn) {
    const said = messages.map(({ text }) => text).join('\n');
    return { text: new RegExp(turn.recall).exec(said)?.[1] ?? 'No memory of that.' };
  }
  for (const tool of tools) {
    const input =
      'mcp' in turn ? (tool.endsWith(turn.mcp) ? turn.input : undefined) : agentTools[tool]?.(turn);
    if (input !== undefined) return { tool, input };
  }
  if ('mcp' in turn && tools.includes(searchTool))
    return { tool: searchTool, input: { query: turn.mcp } };
  return { text: `No tool for ${JSON.stringify(turn)} among ${tools.join(', ')}.` };
}
