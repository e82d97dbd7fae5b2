import { z } from 'zod';
import type { Answer } from './agent-tools.ts';
import { newId } from './new-id.ts';
import { failureText, type Protocol, textIn, usage } from './protocol.ts';

const request = z.looseObject({
  model: z.string(),
  system: z.unknown().optional(),
  messages: z.array(
    z.object({ role: z.enum(['user', 'assistant', 'system']), content: z.unknown() }),
  ),
  tools: z.array(z.object({ name: z.string() })).default([]),
});

const errorTypes: Record<number, string> = {
  401: 'authentication_error',
  429: 'rate_limit_error',
  529: 'overloaded_error',
};

const blockOf = (answer: Answer) =>
  'text' in answer
    ? { type: 'text', text: answer.text }
    : { type: 'tool_use', id: newId('toolu'), name: answer.tool, input: answer.input };

const message = (answer: Answer, model: string) => ({
  id: newId('msg'),
  type: 'message',
  role: 'assistant',
  model,
  content: [blockOf(answer)],
  stop_reason: 'text' in answer ? 'end_turn' : 'tool_use',
  stop_sequence: null,
  usage: { input_tokens: usage.input, output_tokens: usage.output },
});

/** Implements Anthropic's API for messages, https://docs.anthropic.com/en/api/messages */
export const anthropicMessages: Protocol = {
  path: /^\/v1\/messages$/,
  read(body) {
    const { model, system, messages, tools } = request.parse(body);
    return {
      model,
      messages: [
        { from: 'system', text: textIn(system) },
        ...messages.map(({ role, content }) => ({
          from: role === 'assistant' ? ('model' as const) : role,
          text: textIn(content),
        })),
      ],
      tools: tools.map(({ name }) => name),
    };
  },
  stream(answer, model) {
    const whole = message(answer, model);
    const [block] = whole.content;
    const delta =
      'text' in answer
        ? { type: 'text_delta', text: answer.text }
        : { type: 'input_json_delta', partial_json: JSON.stringify(answer.input) };
    const empty = 'text' in answer ? { ...block, text: '' } : { ...block, input: {} };
    return [
      { type: 'message_start', message: { ...whole, content: [], stop_reason: null } },
      { type: 'content_block_start', index: 0, content_block: empty },
      { type: 'content_block_delta', index: 0, delta },
      { type: 'content_block_stop', index: 0 },
      {
        type: 'message_delta',
        delta: { stop_reason: whole.stop_reason, stop_sequence: null },
        usage: { output_tokens: usage.output },
      },
      { type: 'message_stop' },
    ].map((data) => ({ event: data.type, data }));
  },
  whole: message,
  failure: (status) => ({
    type: 'error',
    error: { type: errorTypes[status] ?? 'api_error', message: failureText(status) },
  }),
};
