import type { CallUsage } from '../../../src/gateway/usage/call-usage.ts';
import type { UsageFlavor } from '../../../src/gateway/usage/create-usage-reader.ts';

/** A response of a provider, and what it reports. */
type SampleResponse = {
  name: string;
  flavor: UsageFlavor;
  contentType: string;
  body: string;
  usage: CallUsage;
  model: string;
  tier: string | undefined;
};

const none = { cacheRead: 0, cacheWrite: 0, cacheWriteHour: 0, reasoning: 0, webSearches: 0 };
const trap = '"usage":{"input_tokens":999999,"output_tokens":999999,"prompt_tokens":999999}';

/** Server-sent events, each with its type as its name. */
export const eventsOf = (...events: ({ type: string } & Record<string, unknown>)[]) =>
  events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('');

export const dataOf = (...events: unknown[]) =>
  events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');

const messagesUsage = {
  input_tokens: 10,
  cache_creation_input_tokens: 300,
  cache_read_input_tokens: 5000,
  cache_creation: { ephemeral_5m_input_tokens: 100, ephemeral_1h_input_tokens: 200 },
  output_tokens: 1,
  service_tier: 'standard',
};
const messages = {
  input: 5310,
  cacheRead: 5000,
  cacheWrite: 100,
  cacheWriteHour: 200,
  output: 42,
  reasoning: 0,
  webSearches: 2,
};
const messagesStream = eventsOf(
  {
    type: 'message_start',
    message: { id: 'msg_1', model: 'claude-sonnet-5', content: [], usage: messagesUsage },
  },
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  { type: 'ping' },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: `{${trap}} \\` } },
  {
    type: 'content_block_delta',
    index: 1,
    delta: { type: 'input_json_delta', partial_json: `{"a":"é\\\\",${trap}}` },
  },
  { type: 'message_delta', delta: {}, usage: { output_tokens: 20 } },
  {
    type: 'message_delta',
    delta: { stop_reason: 'end_turn' },
    usage: {
      input_tokens: null,
      output_tokens: 42,
      server_tool_use: { web_search_requests: 2 },
    },
  },
  { type: 'message_stop' },
);
const messagesJson = JSON.stringify({
  type: 'message',
  model: 'claude-sonnet-5',
  content: [
    { type: 'text', text: trap },
    { type: 'tool_use', input: { usage: { input_tokens: 7, output_tokens: 7 } } },
  ],
  usage: { ...messagesUsage, output_tokens: 42, server_tool_use: { web_search_requests: 2 } },
});

const responsesUsage = {
  input_tokens: 900,
  input_tokens_details: { cached_tokens: 800, cache_write_tokens: 50 },
  output_tokens: 70,
  output_tokens_details: { reasoning_tokens: 60 },
  total_tokens: 970,
};
const responses = {
  ...none,
  input: 900,
  cacheRead: 800,
  cacheWrite: 50,
  output: 70,
  reasoning: 60,
};
const response = {
  id: 'resp_1',
  object: 'response',
  status: 'completed',
  instructions: trap,
  output: [
    { type: 'web_search_call' },
    { type: 'message', content: [{ type: 'output_text', text: trap, usage: { input_tokens: 3 } }] },
  ],
  model: 'gpt-6-sol',
  service_tier: 'default',
  usage: responsesUsage,
};
const responsesStream = eventsOf(
  { type: 'response.created', response: { ...response, output: [], usage: null } },
  { type: 'response.output_text.delta', delta: trap, sequence_number: 3 },
  { type: 'response.output_text.done', text: trap },
  { type: 'response.completed', response },
);

const chatUsage = {
  prompt_tokens: 120,
  completion_tokens: 30,
  total_tokens: 150,
  prompt_tokens_details: { cached_tokens: 100 },
  completion_tokens_details: { reasoning_tokens: 25 },
};
const chat = { ...none, input: 120, cacheRead: 100, output: 30, reasoning: 25 };
const chunk = (more: object) => ({ object: 'chat.completion.chunk', model: 'gpt-6-luna', ...more });
const chatStream = `${dataOf(
  chunk({ choices: [{ index: 0, delta: { role: 'assistant', content: trap } }], usage: null }),
  chunk({
    choices: [{ index: 0, delta: { tool_calls: [{ function: { arguments: `{${trap}}` } }] } }],
  }),
  chunk({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], usage: null }),
  chunk({ choices: [], usage: chatUsage, service_tier: 'default' }),
)}data: [DONE]\n\n`;

const gemini = { ...none, input: 215, cacheRead: 150, output: 95, reasoning: 80 };
const geminiChunks = [
  {
    candidates: [{ content: { parts: [{ text: trap }], role: 'model' } }],
    usageMetadata: { promptTokenCount: 200, candidatesTokenCount: 3, thoughtsTokenCount: 40 },
    modelVersion: 'gemini-3.8-flash',
  },
  {
    candidates: [
      {
        content: {
          parts: [{ functionCall: { args: { usageMetadata: { promptTokenCount: 1 } } } }],
        },
        finishReason: 'STOP',
      },
    ],
    usageMetadata: { promptTokenCount: 200, candidatesTokenCount: 15, thoughtsTokenCount: 40 },
    modelVersion: 'gemini-3.8-flash',
  },
  {
    usageMetadata: {
      promptTokenCount: 200,
      candidatesTokenCount: 15,
      cachedContentTokenCount: 150,
      thoughtsTokenCount: 80,
      toolUsePromptTokenCount: 15,
      promptTokensDetails: [{ modality: 'TEXT', tokenCount: 200 }],
    },
  },
];

const stream = 'text/event-stream; charset=utf-8';
const json = 'application/json';
const isMessages = { flavor: 'messages', usage: messages, model: 'claude-sonnet-5' } as const;
const isChat = { flavor: 'chat', usage: chat, model: 'gpt-6-luna', tier: 'default' } as const;
const isGemini = { flavor: 'gemini', usage: gemini, model: 'gemini-3.8-flash' } as const;
const isResponses = {
  flavor: 'responses',
  usage: { ...responses, webSearches: 1 },
  model: 'gpt-6-sol',
  tier: 'default',
} as const;

export const sampleResponses: SampleResponse[] = [
  {
    ...isMessages,
    name: 'Messages stream',
    contentType: stream,
    body: messagesStream,
    tier: 'standard',
  },
  { ...isMessages, name: 'Messages', contentType: json, body: messagesJson, tier: 'standard' },
  { ...isResponses, name: 'Responses stream', contentType: stream, body: responsesStream },
  { ...isResponses, name: 'Responses', contentType: json, body: JSON.stringify(response, null, 2) },
  { ...isChat, name: 'Chat Completions stream', contentType: stream, body: chatStream },
  {
    ...isChat,
    name: 'Chat Completions stream with CRLF',
    contentType: stream,
    body: chatStream.replaceAll('\n', '\r\n'),
  },
  {
    ...isChat,
    name: 'Chat Completions',
    contentType: json,
    body: JSON.stringify({
      model: 'gpt-6-luna',
      choices: [{ index: 0, message: { content: trap }, finish_reason: 'stop' }],
      usage: chatUsage,
      service_tier: 'default',
    }),
  },
  {
    ...isGemini,
    name: 'Gemini stream',
    contentType: stream,
    body: dataOf(...geminiChunks),
    tier: undefined,
  },
  {
    ...isGemini,
    name: 'Gemini JSON array',
    contentType: json,
    body: JSON.stringify(geminiChunks, null, 2),
    tier: undefined,
  },
];
