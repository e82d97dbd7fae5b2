import { shorten } from 'base/shorten';
import { z } from 'zod';

/** Usage that an agent reports: US dollars, and tokens of every kind. */
export const agentUsageSchema = z.object({
  costUsd: z.number().optional(),
  tokens: z.number().optional(),
});
export type AgentUsage = z.infer<typeof agentUsageSchema>;

/** Formats usage, such as "12,345 tokens, $0.25". */
export function usageText({ costUsd, tokens }: AgentUsage): string {
  const parts = [
    tokens !== undefined && `${tokens.toLocaleString('en-US')} tokens`,
    costUsd !== undefined && `$${costUsd.toFixed(costUsd < 0.1 ? 4 : 2)}`,
  ];
  return parts.filter(Boolean).join(', ');
}

type PlanState = 'pending' | 'in_progress' | 'completed';

/** Step of an agent, in the same form for all known harnesses. `id` connects a tool call with its result. */
export type AgentStep =
  /** `part` is true if the text continues in the next step, unless the next step has another `id`. */
  | { kind: 'text'; text: string; part?: boolean; id?: string }
  | { kind: 'thought'; text: string; part?: boolean }
  | { kind: 'note'; text: string }
  | { kind: 'call'; name: string; input: string; id?: string }
  | { kind: 'result'; ok: boolean; text: string; id?: string }
  | { kind: 'plan'; items: { title: string; state: PlanState }[] }
  /** `isFinal` is true if the agent would retry, although a retry can't help. */
  | { kind: 'error'; text: string; isFinal?: true }
  /** `isTotal` is true if the usage is the run's total. Otherwise, the usage must be added to the total. */
  | { kind: 'usage'; usage: AgentUsage; isTotal?: true }
  | { kind: 'end'; ok: boolean; text: string; usage: AgentUsage };

/** Returns `{ id }`, or an empty object if the harness gave no ID. */
export const withId = (id: string | undefined) => (id === undefined ? {} : { id });

const inputCharacters = 300;
/** Names of the tool arguments that say most about a call, best first. The harnesses use similar names. */
const mainArguments = [
  'command',
  'cmd',
  'file_path',
  'filePath',
  'path',
  'pattern',
  'query',
  'url',
];

/** Returns the main argument of a tool call as one short line. Without a main argument, returns all arguments. */
export function shortInput(input: unknown): string {
  const record = typeof input === 'object' && input !== null ? input : {};
  const [first] = mainArguments.flatMap((name) => {
    const value: unknown = Reflect.get(record, name);
    if (typeof value === 'string') return [value];
    return Array.isArray(value) ? [value.join(' ')] : [];
  });
  const text = first ?? (typeof input === 'string' ? input : (JSON.stringify(input) ?? ''));
  const start = text.slice(0, 4 * inputCharacters).replace(/\s+/g, ' ');
  return shorten(start.trim(), inputCharacters);
}

export function asText(value: unknown): string {
  if (typeof value === 'string') return value;
  return value === undefined || value === null ? '' : (JSON.stringify(value) ?? '');
}

const todoInput = z.object({
  todos: z.array(
    z.object({
      content: z.string().optional(),
      description: z.string().optional(),
      status: z.enum(['pending', 'in_progress', 'completed', 'cancelled', 'blocked']),
    }),
  ),
});

const states: Record<string, PlanState> = {
  in_progress: 'in_progress',
  completed: 'completed',
  cancelled: 'completed',
};
const planTools = new Set(['TodoWrite', 'todowrite', 'write_todos']);

/**
 * Returns the plan if the tool is the plan tool of Claude Code, OpenCode or Gemini CLI. Otherwise, returns undefined.
 */
export function todoPlan(tool: string, input: unknown): AgentStep | undefined {
  if (!planTools.has(tool)) return undefined;
  const read = todoInput.safeParse(input);
  if (!read.success) return undefined;
  const items = read.data.todos.map(({ content, description, status }) => ({
    title: content ?? description ?? '',
    state: states[status] ?? ('pending' as const),
  }));
  return { kind: 'plan', items };
}
