import { z } from 'zod';
import { type AgentStep, shortInput, todoPlan, withId } from './agent-step.ts';

const timestamp = z.string();
const id = z.string().optional().catch(undefined);
const errorSchema = z.object({ message: z.string() }).optional().catch(undefined);

/**
 * Schema that converts a line of `gemini --output-format stream-json` to steps. https://geminicli.com/docs/cli/headless
 */
export const geminiEvent = z.union([
  z
    .object({ type: z.literal('init'), timestamp, model: z.string() })
    .transform(({ model }): AgentStep[] => [{ kind: 'note', text: `Model ${model}` }]),
  z
    .object({
      type: z.literal('message'),
      timestamp,
      role: z.string(),
      content: z.string(),
      delta: z.boolean().optional(),
    })
    // Skips the user's messages, which repeat the prompt.
    .transform(({ role, content, delta }): AgentStep[] =>
      role === 'user'
        ? []
        : [{ kind: 'text', text: content, ...(delta === true && { part: true }) }],
    ),
  z
    .object({
      type: z.literal('tool_use'),
      timestamp,
      tool_id: id,
      tool_name: z.string(),
      parameters: z.unknown().optional(),
    })
    .transform(({ tool_id, tool_name, parameters }): AgentStep[] => [
      todoPlan(tool_name, parameters) ?? {
        kind: 'call',
        ...withId(tool_id),
        name: tool_name,
        input: shortInput(parameters),
      },
    ]),
  z
    .object({
      type: z.literal('tool_result'),
      timestamp,
      tool_id: z.string(),
      status: z.string(),
      output: z.string().optional().catch(undefined),
      error: errorSchema,
    })
    .transform(({ tool_id, status, output, error }): AgentStep[] => [
      {
        kind: 'result',
        id: tool_id,
        ok: status === 'success',
        text: error?.message ?? output ?? '',
      },
    ]),
  z
    .object({ type: z.literal('error'), timestamp, severity: z.string(), message: z.string() })
    .transform(({ severity, message }): AgentStep[] => [
      { kind: severity === 'warning' ? 'note' : 'error', text: message },
    ]),
  z
    .object({
      type: z.literal('result'),
      timestamp,
      status: z.string(),
      error: errorSchema,
      stats: z.object({ total_tokens: z.number().nonnegative() }).optional().catch(undefined),
    })
    .transform(({ status, error, stats }): AgentStep[] => [
      {
        kind: 'end',
        ok: status === 'success',
        text: error?.message ?? '',
        usage: { tokens: stats?.total_tokens },
      },
    ]),
]);
