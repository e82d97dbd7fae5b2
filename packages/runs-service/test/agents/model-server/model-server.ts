import { setTimeout } from 'node:timers/promises';
import { Hono } from 'hono';
import { streamSSE } from 'hono/streaming';
import { answerOf } from './agent-tools.ts';
import { anthropicMessages } from './anthropic-messages.ts';
import { geminiContent } from './gemini-content.ts';
import { answerMcp } from './note-tool.ts';
import { openaiChat } from './openai-chat.ts';
import { openaiResponses } from './openai-responses.ts';
import { type Asked, findTurn, type Script } from './script.ts';

/** Only key that the model accepts. */
export const goodKey = 'sk-good-key-of-the-trials';
const keys = ['x-api-key', 'x-goog-api-key', 'authorization'];

const protocols = [anthropicMessages, openaiResponses, openaiChat, geminiContent];

/** Request to the model, for tests to read. */
export type Recorded = Asked & { key: string; at: number };

type Stage = {
  script: Script;
  recorded: Recorded[];
  unknown: string[];
  failures: Map<object, number>;
};

/**
 * Creates a model that follows a script, with the APIs of four providers. `PUT /scripts/<name>` sets a script.
 * `/<name>` is then the base URL of the APIs.
 */
export function createModelServer() {
  const stages = new Map<string, Stage>();
  const app = new Hono();

  app.put('/scripts/:name', async (c) => {
    const script = (await c.req.json()) as Script;
    stages.set(c.req.param('name'), { script, recorded: [], unknown: [], failures: new Map() });
    return c.body(null, 204);
  });
  app.get('/scripts/:name', (c) => {
    const stage = stages.get(c.req.param('name'));
    return c.json({ recorded: stage?.recorded ?? [], unknown: stage?.unknown ?? [] });
  });

  app.post('/:name/mcp', async (c) => {
    const answer = answerMcp(await c.req.json(), 'http');
    return answer ? c.json(answer) : c.body(null, 202);
  });

  app.all('/:name/*', async (c) => {
    const name = c.req.param('name');
    const stage = stages.get(name);
    if (!stage) return c.json({ error: `no script named ${name}` }, 404);
    const path = c.req.path.slice(name.length + 1);
    const protocol = protocols.find((each) => each.path.test(path));
    if (!protocol || c.req.method !== 'POST') {
      stage.unknown.push(`${c.req.method} ${path}`);
      // Answer 426, so that Codex uses HTTP instead of a WebSocket.
      const isUpgrade = c.req.header('upgrade') !== undefined;
      return c.json({ error: 'not a model request' }, isUpgrade ? 426 : 404);
    }
    const body: { stream?: boolean } = await c.req.json();
    const asked = protocol.read(body, path);
    const key = keys.map((name) => c.req.header(name)).find(Boolean) ?? '';
    stage.recorded.push({ ...asked, key, at: Date.now() });
    if (!key.endsWith(goodKey)) return Response.json(protocol.failure(401), { status: 401 });
    const turn = findTurn(stage.script, asked);
    if ('hang' in turn) return new Promise<Response>(() => undefined);
    if ('fail' in turn && takeFailure(stage, turn)) {
      const { fail: status, retryAfterSeconds: seconds } = turn;
      const headers = seconds === undefined ? {} : { 'retry-after': String(seconds) };
      return Response.json(protocol.failure(status, seconds), { status, headers });
    }
    const { afterSeconds = 0, secondsBetween = 0 } = 'say' in turn ? turn : {};
    await setTimeout(afterSeconds * 1000);
    const answer = answerOf('fail' in turn ? { say: 'Recovered.' } : turn, asked);
    const wantsStream = body.stream === true || path.endsWith(':streamGenerateContent');
    if (!wantsStream) return c.json(protocol.whole(answer, asked.model));
    return streamSSE(c, async (stream) => {
      for (const { event, data } of protocol.stream(answer, asked.model)) {
        await setTimeout(secondsBetween * 1000);
        const text = typeof data === 'string' ? data : JSON.stringify(data);
        await stream.writeSSE({ data: text, ...(event !== undefined && { event }) });
      }
    });
  });
  return app;
}

/** Returns true if this failure is still due. */
function takeFailure({ failures }: Stage, turn: { fail: number; times?: number }): boolean {
  const seen = (failures.get(turn) ?? 0) + 1;
  failures.set(turn, seen);
  return turn.times === undefined || seen <= turn.times;
}
