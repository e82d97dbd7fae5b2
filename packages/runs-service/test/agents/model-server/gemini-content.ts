import { z } from 'zod';
import type { Answer } from './agent-tools.ts';
import { failureText, type Protocol, textIn, usage } from './protocol.ts';

const request = z.looseObject({
  systemInstruction: z.unknown().optional(),
  contents: z.array(z.looseObject({ role: z.string().default('user') })),
  tools: z
    .array(
      z.looseObject({ functionDeclarations: z.array(z.object({ name: z.string() })).default([]) }),
    )
    .default([]),
});

const answerBody = (answer: Answer, model: string) => ({
  candidates: [
    {
      index: 0,
      finishReason: 'STOP',
      content: {
        role: 'model',
        parts: [
          'text' in answer
            ? { text: answer.text }
            : { functionCall: { name: answer.tool, args: answer.input } },
        ],
      },
    },
  ],
  usageMetadata: {
    promptTokenCount: usage.input,
    candidatesTokenCount: usage.output,
    totalTokenCount: usage.input + usage.output,
  },
  modelVersion: model,
});

const statuses: Record<number, string> = {
  401: 'UNAUTHENTICATED',
  429: 'RESOURCE_EXHAUSTED',
  529: 'UNAVAILABLE',
};

const path = /^\/v1(?:beta)?\/models\/([^:]+):(?:streamGenerateContent|generateContent)$/;

/** Implements Gemini's API for content, https://ai.google.dev/api/generate-content */
export const geminiContent: Protocol = {
  path,
  read(body, at) {
    const { systemInstruction, contents, tools } = request.parse(body);
    return {
      model: path.exec(at)?.[1] ?? '',
      messages: [
        { from: 'system', text: textIn(systemInstruction) },
        ...contents.map((content) => ({
          from: content.role === 'model' ? ('model' as const) : ('user' as const),
          text: textIn(content),
        })),
      ],
      tools: tools.flatMap((tool) => tool.functionDeclarations.map(({ name }) => name)),
    };
  },
  stream: (answer, model) => [{ data: answerBody(answer, model) }],
  whole: answerBody,
  failure: (status, waitSeconds) => ({
    error: {
      code: status,
      message: failureText(status),
      status: statuses[status] ?? 'INTERNAL',
      ...(waitSeconds !== undefined && {
        details: [
          { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: `${waitSeconds}s` },
        ],
      }),
    },
  }),
};
