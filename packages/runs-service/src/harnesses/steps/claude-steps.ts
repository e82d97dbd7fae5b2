import { z } from 'zod';
import { type AgentStep, asText, shortInput, todoPlan, withId } from './agent-step.ts';

const count = z.number().nonnegative().catch(0);
const id = z.string().optional().catch(undefined);
const usage = z.object({
  input_tokens: count,
  output_tokens: count,
  cache_creation_input_tokens: count,
  cache_read_input_tokens: count,
});

const block = z.union([
  z
    .object({ type: z.literal('text'), text: z.string() })
    .transform(({ text }): AgentStep => ({ kind: 'text', text })),
  z
    .object({ type: z.literal('thinking'), thinking: z.string() })
    .transform(({ thinking }): AgentStep => ({ kind: 'thought', text: thinking })),
  z
    .object({
      type: z.enum(['tool_use', 'server_tool_use']),
      id,
      name: z.string(),
      input: z.unknown().optional(),
    })
    .transform(
      ({ id: callId, name, input }): AgentStep =>
        todoPlan(name, input) ?? {
          kind: 'call',
          ...withId(callId),
          name,
          input: shortInput(input),
        },
    ),
  z
    .object({
      type: z.literal('tool_result'),
      tool_use_id: id,
      content: z.unknown().optional(),
      is_error: z.unknown().optional(),
    })
    .transform(
      ({ tool_use_id, content, is_error }): AgentStep => ({
        kind: 'result',
        ...withId(tool_use_id),
        ok: is_error !== true,
        text: contentText(content),
      }),
    ),
  z
    .looseObject({ type: z.string() })
    .transform(({ type }): AgentStep => ({ kind: 'note', text: `(${type})` })),
]);

/**
 * Returns the text of a tool's result.
 * @param content a text, or a list of texts and other blocks
 */
function contentText(content: unknown): string {
  if (!Array.isArray(content)) return asText(content);
  return content
    .map((part: { text?: unknown; type?: unknown } | null) =>
      typeof part?.text === 'string' ? part.text : `(${asText(part?.type) || 'something'})`,
    )
    .join('\n');
}

/**
 * Schema that converts a line of `claude --print --output-format stream-json` to steps.
 * https://code.claude.com/docs/en/headless
 */
export const claudeEvent = z.union([
  z
    .object({ type: z.literal('system'), subtype: z.literal('init'), model: z.string() })
    .transform(({ model }): AgentStep[] => [{ kind: 'note', text: `Model ${model}` }]),
  z
    .object({
      type: z.literal('system'),
      subtype: z.literal('api_retry'),
      attempt: z.number(),
      max_retries: z.number(),
      retry_delay_ms: z.number(),
      error_status: z.number().nullish().catch(undefined),
      error: z.string().catch('unknown'),
    })
    .transform((retry): AgentStep[] => [
      isRejectedKey(retry)
        ? { kind: 'error', text: rejectedKeyMessage, isFinal: true }
        : { kind: 'error', text: retryText(retry) },
    ]),
  z
    .object({
      type: z.literal('system'),
      subtype: z.literal('permission_denied'),
      tool_name: z.string(),
      decision_reason: z.string().optional().catch(undefined),
      message: z.string().catch(''),
    })
    .transform(({ tool_name, decision_reason, message }): AgentStep[] => [
      { kind: 'note', text: `Permission denied for ${tool_name}: ${decision_reason || message}` },
    ]),
  z
    .object({
      type: z.literal('assistant'),
      message: z.object({ content: z.array(block) }),
    })
    .transform(({ message }): AgentStep[] => message.content),
  // Ignore texts of the user, because they're the prompt.
  z
    .object({
      type: z.literal('user'),
      message: z.object({ content: z.union([z.string().transform(() => []), z.array(block)]) }),
    })
    .transform(({ message }): AgentStep[] =>
      message.content.filter(({ kind }) => kind === 'result'),
    ),
  z
    .object({
      type: z.literal('result'),
      subtype: z.string(),
      is_error: z.boolean().catch(false),
      result: z.string().optional().catch(undefined),
      errors: z.array(z.string()).optional().catch(undefined),
      total_cost_usd: z.number().nonnegative().optional().catch(undefined),
      usage: usage.optional().catch(undefined),
    })
    .transform((end): AgentStep[] => {
      const ok = !end.is_error && end.subtype === 'success';
      const tokens = end.usage && Object.values(end.usage).reduce((sum, count) => sum + count, 0);
      return [
        {
          kind: 'end',
          ok,
          // Leave out the text of a success, because it repeats the last message.
          text: ok ? '' : end.result || end.errors?.join('\n') || end.subtype,
          usage: { costUsd: end.total_cost_usd, tokens },
        },
      ];
    }),
]);

/**
 * Returns true if the key was rejected more than once. Claude Code would retry for minutes, but a first rejection can
 * be the server's mistake.
 */
const isRejectedKey = (retry: { attempt: number; error_status?: number | null | undefined }) =>
  retry.error_status === 401 && retry.attempt > 1;
const rejectedKeyMessage = 'Invalid API key: the model API answered 401.';

function retryText(retry: {
  attempt: number;
  max_retries: number;
  retry_delay_ms: number;
  error_status?: number | null | undefined;
  error: string;
}): string {
  const { attempt, max_retries, retry_delay_ms, error_status, error } = retry;
  const what = error_status
    ? `The model API answered ${error_status}`
    : "The model API can't be reached";
  const seconds = (retry_delay_ms / 1000).toFixed(1);
  return `${what} (${error}). Retry ${attempt} of ${max_retries} in ${seconds}s.`;
}
