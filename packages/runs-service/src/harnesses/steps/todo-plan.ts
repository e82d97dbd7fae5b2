import { z } from 'zod';
import type { AgentStep, PlanState } from './agent-step.ts';

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

/** Claude Code, OpenCode and Gemini CLI keep their plan with a tool. */
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
