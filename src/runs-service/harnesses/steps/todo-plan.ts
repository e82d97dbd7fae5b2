import { z } from 'zod';
import type { AgentStep } from './agent-step.ts';

const todoInput = z.object({
  todos: z.array(
    z.object({
      content: z.string(),
      status: z.enum(['pending', 'in_progress', 'completed', 'cancelled']),
    }),
  ),
});

/** Claude Code and OpenCode keep their plan with a tool. The names are TodoWrite and todowrite. */
export function todoPlan(tool: string, input: unknown): AgentStep | undefined {
  if (tool.toLowerCase() !== 'todowrite') return undefined;
  const read = todoInput.safeParse(input);
  if (!read.success) return undefined;
  const items = read.data.todos.map(({ content, status }) => ({
    title: content,
    state: status === 'cancelled' ? ('completed' as const) : status,
  }));
  return { kind: 'plan', items };
}
