import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sleep } from 'base/sleep';
import { Hono } from 'hono';
import { streamSSE } from 'hono/streaming';
import { listen } from 'runs-service/api/listen';
import type { ModelProvider } from 'runs-service/environments/models-config';
import { z } from 'zod';
import { scriptedReply } from './scripted-replies.ts';

type ModelServerOptions = {
  /** Folder for the file with the server's key. Only the runs service reads it. */
  folder: string;
  host: string;
  /** Time between two words of a reply, in ms. */
  wordMs?: number;
};

const requestSchema = z.object({
  model: z.literal('demo-1'),
  stream: z.literal(true),
  messages: z.array(z.object({ role: z.string(), content: z.string() })).min(1),
});

/** Number of tokens that a real agent's instructions and tools would add to a request. */
const instructionTokens = 300;
const bytesPerToken = 4;

/**
 * Starts the demo's model server, which speaks the Anthropic Messages API and replies from a script. It needs no account,
 * and shows that the agent calls it without the key.
 */
export async function startModelServer({ folder, host, wordMs = 30 }: ModelServerOptions) {
  const key = `demo-key-${randomBytes(24).toString('base64url')}`;
  const keyFile = join(folder, 'model-key');
  writeFileSync(keyFile, key, { mode: 0o600 });
  const turns = new Map<string, number>();
  const app = new Hono();
  app.post('/v1/messages', async (context) => {
    if (!isSame(context.req.header('x-api-key') ?? '', key))
      return context.json(failure('authentication_error', 'invalid x-api-key'), 401);
    const read = requestSchema.safeParse(await context.req.json().catch(() => undefined));
    if (!read.success)
      return context.json(failure('invalid_request_error', 'The demo has one model: demo-1'), 400);
    const { messages, model } = read.data;
    const message = messages.at(-1)?.content ?? '';
    const turn = turns.get(message) ?? 0;
    turns.set(message, turn + 1);
    const reply = scriptedReply(message, turn);
    const input = instructionTokens + tokensIn(messages.map(({ content }) => content).join('\n'));
    return streamSSE(context, async (stream) => {
      const send = (type: string, data: object) =>
        stream.writeSSE({ event: type, data: JSON.stringify({ type, ...data }) });
      const usage = { input_tokens: input, output_tokens: 1 };
      await send('message_start', { message: { type: 'message', model, content: [], usage } });
      for (const text of reply.split(/(?<= )/)) {
        await send('content_block_delta', { index: 0, delta: { type: 'text_delta', text } });
        await sleep(wordMs);
      }
      await send('message_delta', { delta: {}, usage: { output_tokens: tokensIn(reply) } });
      await send('message_stop', {});
    });
  });
  const listening = await listen(app, host, 0, { setting: 'PORT' });
  const provider: ModelProvider = {
    name: 'demo',
    api: 'anthropic',
    base_url: `http://${host}:${listening.port}`,
    allow_private: true,
    key_file: keyFile,
    allowed: ['demo-1'],
    prices: { 'demo-1': { input: 3, output: 75 } },
  };
  return { provider, stop: listening.close };
}

const tokensIn = (text: string) => Math.ceil(Buffer.byteLength(text) / bytesPerToken);

const failure = (type: string, message: string) => ({ type: 'error', error: { type, message } });

function isSame(given: string, key: string): boolean {
  const hash = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(hash(given), hash(key));
}
