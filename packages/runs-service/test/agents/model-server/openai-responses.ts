import { z } from 'zod';
import { type Answer, searchTool } from './agent-tools.ts';
import { newId } from './new-id.ts';
import { failureText, type Protocol, textIn, usage } from './protocol.ts';

const named = z.looseObject({ name: z.string().optional(), type: z.string().optional() });
/** Tool. Those of an MCP server are nested in a namespace. */
const tool = named.extend({ tools: z.array(named).optional() });
/** Tools that the model only has after a search. */
const found = z.object({ type: z.literal('tool_search_output'), tools: z.array(tool) });

const request = z.looseObject({
  model: z.string(),
  instructions: z.string().optional(),
  input: z.union([
    z.string().transform((content) => [{ type: 'message', role: 'user', content }]),
    z.array(z.looseObject({ type: z.string().default('message'), role: z.string().optional() })),
  ]),
  tools: z.array(tool).default([]),
});

type Item = z.infer<typeof request>['input'][number];

const byModel = new Set(['function_call', 'custom_tool_call', 'local_shell_call']);

function authorOf({ type, role }: Item): 'system' | 'user' | 'model' {
  if (byModel.has(type) || role === 'assistant') return 'model';
  return role === 'user' ? 'user' : 'system';
}

function itemOf(answer: Answer) {
  if ('text' in answer)
    return {
      type: 'message',
      id: newId('msg'),
      role: 'assistant',
      status: 'completed',
      content: [{ type: 'output_text', text: answer.text, annotations: [] }],
    };
  if (answer.tool === searchTool)
    return {
      type: 'tool_search_call',
      id: newId('tsc'),
      call_id: newId('call'),
      execution: 'client',
      status: 'completed',
      arguments: answer.input,
    };
  const [name, namespace] = answer.tool.split('/').reverse();
  const call = { call_id: newId('call'), name, namespace, status: 'completed' };
  return typeof answer.input === 'string'
    ? { type: 'custom_tool_call', id: newId('ctc'), ...call, input: answer.input }
    : { type: 'function_call', id: newId('fc'), ...call, arguments: JSON.stringify(answer.input) };
}

const response = (answer: Answer, model: string) => ({
  id: newId('resp'),
  object: 'response',
  created_at: 1,
  model,
  status: 'completed',
  output: [itemOf(answer)],
  usage: {
    input_tokens: usage.input,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: usage.output,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: usage.input + usage.output,
  },
});

/** Implements OpenAI's API for responses, https://platform.openai.com/docs/api-reference/responses */
export const openaiResponses: Protocol = {
  path: /^\/v1\/responses$/,
  read(body) {
    const { model, instructions, input, tools } = request.parse(body);
    return {
      model,
      messages: [
        { from: 'system', text: instructions ?? '' },
        ...input
          .filter(({ type }) => type !== 'reasoning')
          .map((item) => ({ from: authorOf(item), text: textIn(item) })),
      ],
      tools: [
        ...tools,
        ...input.flatMap((item) => found.safeParse(item).data?.tools ?? []),
      ].flatMap(({ type = '', name = type, tools: inside }) =>
        inside ? inside.map((each) => `${name}/${each.name}`) : name,
      ),
    };
  },
  stream(answer, model) {
    const whole = response(answer, model);
    const [item] = whole.output;
    const at = { output_index: 0, item_id: item?.id };
    const events = [
      { type: 'response.created', response: { ...whole, status: 'in_progress', output: [] } },
      {
        type: 'response.output_item.added',
        output_index: 0,
        item: 'text' in answer ? { ...item, content: [] } : item,
      },
      ...('text' in answer
        ? [
            {
              type: 'response.content_part.added',
              ...at,
              content_index: 0,
              part: { type: 'output_text', text: '', annotations: [] },
            },
            { type: 'response.output_text.delta', ...at, content_index: 0, delta: answer.text },
            { type: 'response.output_text.done', ...at, content_index: 0, text: answer.text },
          ]
        : []),
      { type: 'response.output_item.done', output_index: 0, item },
      { type: 'response.completed', response: whole },
    ];
    return events.map((data, index) => ({
      event: data.type,
      data: { ...data, sequence_number: index },
    }));
  },
  whole: response,
  failure: (status) => ({
    error: {
      message: failureText(status),
      type: 'error',
      code: status === 401 ? 'invalid_api_key' : null,
    },
  }),
};
