import { z } from 'zod';
import type { Answer } from './agent-tools.ts';
import { newId } from './new-id.ts';
import { failureText, type Protocol, textIn, usage } from './protocol.ts';

const request = z.looseObject({
  model: z.string(),
  messages: z.array(z.looseObject({ role: z.string() })),
  tools: z.array(z.object({ function: z.object({ name: z.string() }) })).default([]),
});

const authors: Record<string, 'user' | 'model'> = { user: 'user', assistant: 'model' };

const messageOf = (answer: Answer) =>
  'text' in answer
    ? { role: 'assistant', content: answer.text }
    : {
        role: 'assistant',
        content: null,
        tool_calls: [
          {
            index: 0,
            id: newId('call'),
            type: 'function',
            function: { name: answer.tool, arguments: JSON.stringify(answer.input) },
          },
        ],
      };

const tokens = {
  prompt_tokens: usage.input,
  completion_tokens: usage.output,
  total_tokens: usage.input + usage.output,
};

const reasonOf = (answer: Answer) => ('text' in answer ? 'stop' : 'tool_calls');

/** Implements OpenAI's API for chats, https://platform.openai.com/docs/api-reference/chat */
export const openaiChat: Protocol = {
  path: /^\/v1\/chat\/completions$/,
  read(body) {
    const { model, messages, tools } = request.parse(body);
    return {
      model,
      messages: messages.map((message) => ({
        from: authors[message.role] ?? 'system',
        text: textIn(message),
      })),
      tools: tools.map((tool) => tool.function.name),
    };
  },
  stream(answer, model) {
    const chunk = (delta: object, finish_reason: string | null) => ({
      data: {
        id: 'chatcmpl-1',
        object: 'chat.completion.chunk',
        created: 1,
        model,
        choices: [{ index: 0, delta, finish_reason }],
        ...(finish_reason !== null && { usage: tokens }),
      },
    });
    return [chunk(messageOf(answer), null), chunk({}, reasonOf(answer)), { data: '[DONE]' }];
  },
  whole: (answer, model) => ({
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1,
    model,
    choices: [{ index: 0, message: messageOf(answer), finish_reason: reasonOf(answer) }],
    usage: tokens,
  }),
  failure: (status) => ({
    error: {
      message: failureText(status),
      type: 'error',
      code: status === 401 ? 'invalid_api_key' : null,
    },
  }),
};
