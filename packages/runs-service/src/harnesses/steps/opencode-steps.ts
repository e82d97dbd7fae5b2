import { z } from 'zod';
import { type AgentStep, asText, shortInput, todoPlan } from './agent-step.ts';

const sessionID = z.string();
const count = z.number().nonnegative().catch(0);

const tokensSchema = z.object({
  input: count,
  output: count,
  reasoning: count,
  cache: z.object({ read: count, write: count }).catch({ read: 0, write: 0 }),
});
type Tokens = z.infer<typeof tokensSchema>;

const sum = ({ input, output, reasoning, cache }: Tokens) =>
  input + output + reasoning + cache.read + cache.write;

/** Schema that converts a line of `opencode run --format json` to steps. https://opencode.ai/docs/cli */
export const opencodeEvent = z.union([
  z
    .object({ type: z.literal('step_start'), sessionID, part: z.looseObject({}) })
    .transform((): AgentStep[] => []),
  z
    .object({ type: z.literal('text'), sessionID, part: z.object({ text: z.string() }) })
    .transform(({ part }): AgentStep[] => [{ kind: 'text', text: part.text }]),
  z
    .object({ type: z.literal('reasoning'), sessionID, part: z.object({ text: z.string() }) })
    .transform(({ part }): AgentStep[] => [{ kind: 'thought', text: part.text }]),
  // Convert the event to a call and its result, because OpenCode prints it only once, when the tool has finished.
  z
    .object({
      type: z.literal('tool_use'),
      sessionID,
      part: z.object({
        tool: z.string(),
        state: z.object({
          status: z.string(),
          input: z.unknown().optional(),
          output: z.unknown().optional(),
          error: z.unknown().optional(),
        }),
      }),
    })
    .transform(({ part: { tool, state } }): AgentStep[] => {
      const plan = todoPlan(tool, state.input);
      if (plan) return [plan];
      return [
        { kind: 'call', name: tool, input: shortInput(state.input) },
        {
          kind: 'result',
          ok: state.status !== 'error',
          text: asText(state.status === 'error' ? state.error : state.output),
        },
      ];
    }),
  z
    .object({
      type: z.literal('step_finish'),
      sessionID,
      part: z.object({
        reason: z.string().catch(''),
        cost: z.number().nonnegative().optional().catch(undefined),
        tokens: tokensSchema.optional().catch(undefined),
      }),
    })
    .transform(({ part: { reason, cost, tokens } }): AgentStep[] => {
      const usage = { costUsd: cost, tokens: tokens && sum(tokens) };
      return reason === 'stop'
        ? [{ kind: 'end', ok: true, text: '', usage }]
        : [{ kind: 'usage', usage }];
    }),
  z
    .object({
      type: z.literal('error'),
      sessionID,
      error: z.object({
        name: z.string().catch('Error'),
        data: z.object({ message: z.string() }).optional().catch(undefined),
      }),
    })
    .transform(({ error }): AgentStep[] => [
      { kind: 'error', text: error.data?.message ?? error.name },
    ]),
]);
