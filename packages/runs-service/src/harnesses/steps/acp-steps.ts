import { z } from 'zod';
import { type AgentStep, asText, shortInput, todoPlan, withId } from './agent-step.ts';

const id = z.string().optional().catch(undefined);
const text = z.string().catch('');

const contentText = z
  .union([
    z.object({ type: z.literal('text'), text: z.string() }).transform((block) => block.text),
    z.looseObject({ type: z.string() }).transform(({ type }) => `(${type})`),
  ])
  .catch('');

const toolContent = z.union([
  z.object({ type: z.literal('content'), content: contentText }).transform((each) => each.content),
  z.object({ type: z.literal('diff'), path: z.string() }).transform(({ path }) => path),
  z.unknown().transform(() => ''),
]);

const tool = z.object({
  toolCallId: z.string(),
  title: z.string().nullish().catch(undefined),
  name: z.string().nullish().catch(undefined),
  kind: z.string().nullish().catch(undefined),
  status: z.string().nullish().catch(undefined),
  rawInput: z.unknown().optional(),
  rawOutput: z.unknown().optional(),
  content: z.array(toolContent).nullish().catch(undefined),
});

const usage = z
  .object({ totalTokens: z.number().nonnegative().optional().catch(undefined) })
  .nullish()
  .catch(undefined);

function toolSteps(update: z.infer<typeof tool>, isNew: boolean): AgentStep[] {
  const { toolCallId, title, name, kind, status, rawInput, rawOutput, content } = update;
  // Read the plan from the call of a plan tool, because OpenCode doesn't report its plan in another way.
  const plan = todoPlan(name ?? title ?? '', rawInput);
  if (plan) return [plan];
  const steps: AgentStep[] = [];
  // Report the call again if an update has a title, because the new title can be better.
  if (isNew || title) {
    const input = title ?? shortInput(rawInput);
    steps.push({ kind: 'call', id: toolCallId, name: name ?? kind ?? 'tool', input });
  }
  if (status === 'completed' || status === 'failed') {
    const printed = content?.filter(Boolean).join('\n') || asText(rawOutput);
    steps.push({ kind: 'result', id: toolCallId, ok: status === 'completed', text: printed });
  }
  return steps;
}

/**
 * Schema that converts a line with an ACP update, or with the end of a turn, to steps. The service records updates as
 * such lines, and scripts can print them. https://agentclientprotocol.com/protocol/prompt-turn
 */
export const acpEvent = z.union([
  z
    .object({
      sessionUpdate: z.literal('agent_message_chunk'),
      content: contentText,
      messageId: id,
    })
    .transform(({ content, messageId }): AgentStep[] => [
      { kind: 'text', text: content, part: true, ...withId(messageId) },
    ]),
  z
    .object({ sessionUpdate: z.literal('agent_thought_chunk'), content: contentText })
    .transform(({ content }): AgentStep[] => [{ kind: 'thought', text: content, part: true }]),
  tool
    .extend({ sessionUpdate: z.literal('tool_call') })
    .transform((update) => toolSteps(update, true)),
  tool
    .extend({ sessionUpdate: z.literal('tool_call_update') })
    .transform((update) => toolSteps(update, false)),
  z
    .object({
      sessionUpdate: z.literal('plan'),
      entries: z.array(
        z.object({
          content: z.string(),
          status: z.enum(['pending', 'in_progress', 'completed']).catch('pending'),
        }),
      ),
    })
    .transform(({ entries }): AgentStep[] => {
      const items = entries.map(({ content, status }) => ({ title: content, state: status }));
      return [{ kind: 'plan', items }];
    }),
  z
    .object({
      sessionUpdate: z.literal('usage_update'),
      cost: z
        .object({ amount: z.number().nonnegative(), currency: z.literal('USD') })
        .nullish()
        .catch(undefined),
      totalTokens: z.number().nonnegative().optional().catch(undefined),
    })
    .transform(({ cost, totalTokens }): AgentStep[] => [
      { kind: 'usage', isTotal: true, usage: { costUsd: cost?.amount, tokens: totalTokens } },
    ]),
  z
    .object({
      sessionUpdate: z.literal('notice'),
      title: text,
      description: z.string().nullish().catch(undefined),
    })
    .transform(({ title, description }): AgentStep[] => [
      { kind: 'note', text: [title, description].filter(Boolean).join('\n') },
    ]),
  // Skips commands, modes and other updates that aren't steps of the run.
  z.looseObject({ sessionUpdate: z.string() }).transform((): AgentStep[] => []),
  z
    .object({ stopReason: z.string(), usage })
    .transform(({ stopReason, usage: used }): AgentStep[] => {
      const { ok, text: why } = endOf(stopReason);
      // Leave out the text after a cancel, because it doesn't explain a failure.
      const said = stopReason === 'cancelled' ? '' : why;
      return [{ kind: 'end', ok, text: said, usage: { tokens: used?.totalTokens } }];
    }),
]);

/** Returns the result of a turn. `ok` is true after a normal end. Otherwise, `text` says why the turn stopped. */
export function endOf(stopReason: string): { ok: boolean; text: string } {
  switch (stopReason) {
    case 'end_turn':
      return { ok: true, text: '' };
    case 'refusal':
      return { ok: false, text: 'The agent refused to continue.' };
    case 'max_tokens':
      return { ok: false, text: 'The agent reached its limit of tokens.' };
    case 'max_turn_requests':
      return { ok: false, text: 'The agent reached its limit of model requests in one turn.' };
    case 'cancelled':
      return { ok: false, text: 'The agent stopped as if it was canceled.' };
    default:
      return { ok: false, text: `The agent stopped: ${stopReason.slice(0, 100)}` };
  }
}
