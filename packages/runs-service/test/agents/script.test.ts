import { describe, expect, it } from 'vitest';
import { answerOf } from './model-server/agent-tools.ts';
import { createModelServer, goodKey } from './model-server/model-server.ts';
import { type Asked, findTurn } from './model-server/script.ts';

const script = { 'Fix it': [{ run: 'true' }, { say: 'Done.' }] };
const asked = (...said: [from: 'user' | 'model', text: string][]): Asked => ({
  model: 'm',
  messages: said.map(([from, text]) => ({ from, text })),
  tools: ['Read', 'Bash'],
});

describe('a scripted model', () => {
  it('takes the next turn after the last prompt', () => {
    const before = asked(['user', 'Fix it'], ['model', ''], ['model', 'Done.']);
    const again = asked(['user', 'Fix it'], ['model', ''], ['user', 'Fix it']);
    expect(findTurn(script, asked(['user', 'Fix it']))).toEqual({ run: 'true' });
    expect(findTurn(script, asked(['user', 'Fix it'], ['model', '']))).toEqual({ say: 'Done.' });
    expect(findTurn(script, again)).toEqual({ run: 'true' });
    expect(findTurn(script, before)).toEqual({ say: 'Fine.' });
  });

  it("calls the agent's own tool", () => {
    const answer = { tool: 'Bash', input: { command: 'true', description: 'Run a command' } };
    expect(answerOf({ run: 'true' }, asked())).toEqual(answer);
    expect(answerOf({ plan: [] }, asked())).toHaveProperty('text');
  });

  it.each([
    ['/v1/messages', { messages: [{ role: 'user', content: 'Say' }], tools: [{ name: 'a' }] }],
    ['/v1/responses', { input: 'Say', tools: [{ type: 'function', name: 'a' }] }],
    [
      '/v1/chat/completions',
      { messages: [{ role: 'user', content: 'Say' }], tools: [{ function: { name: 'a' } }] },
    ],
    [
      '/v1beta/models/m:generateContent',
      {
        contents: [{ role: 'user', parts: [{ text: 'Say' }] }],
        tools: [{ functionDeclarations: [{ name: 'a' }] }],
      },
    ],
  ])('answers %s', async (path, body) => {
    const app = createModelServer();
    const say = JSON.stringify({ Say: [{ say: 'Hello.' }] });
    await app.request('/scripts/x', { method: 'PUT', body: say });
    const ask = (key: string) =>
      app.request(`/x${path}`, {
        method: 'POST',
        body: JSON.stringify({ model: 'm', ...body }),
        headers: { 'x-api-key': key },
      });
    expect(await (await ask(goodKey)).text()).toContain('Hello.');
    expect((await ask('bad')).status).toBe(401);
  });

  it.each([
    ['/v1/messages', { messages: [{ role: 'user', content: 'Say' }], tools: [{ name: 'a' }] }],
    [
      '/v1beta/models/m:generateContent',
      {
        contents: [{ role: 'user', parts: [{ text: 'Say' }] }],
        tools: [{ functionDeclarations: [{ name: 'a' }] }],
      },
    ],
  ])('limits the rate of %s, and says for how long', async (path, body) => {
    const app = createModelServer();
    const turns = JSON.stringify({ Say: [{ fail: 429, times: 1, retryAfterSeconds: 6 }] });
    await app.request('/scripts/x', { method: 'PUT', body: turns });
    const ask = () =>
      app.request(`/x${path}`, {
        method: 'POST',
        body: JSON.stringify({ model: 'm', ...body }),
        headers: { 'x-api-key': goodKey },
      });
    const first = await ask();
    expect(first.status).toBe(429);
    expect(first.headers.get('retry-after')).toBe('6');
    if (path.startsWith('/v1beta')) expect(await first.text()).toContain('"retryDelay":"6s"');
    expect((await ask()).status).toBe(200);
  });
});
