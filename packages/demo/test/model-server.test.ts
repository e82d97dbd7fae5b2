import { readFileSync } from 'node:fs';
import { expect, it, onTestFinished } from 'vitest';
import { temporaryFolder } from '../../runs-service/test/support/runs-service.ts';
import { createModel } from '../src/agent/model.ts';
import { startModelServer } from '../src/model-server/model-server.ts';

it("the demo's model replies from its script, with usage, to those who have the key", async () => {
  const { provider, stop } = await startModelServer({
    folder: temporaryFolder(),
    host: '127.0.0.1',
    wordMs: 0,
  });
  onTestFinished(stop);
  const key = readFileSync(provider.key_file ?? '', 'utf8');
  const modelWith = (token: string) =>
    createModel({ ANTHROPIC_BASE_URL: provider.base_url, ANTHROPIC_API_KEY: token });
  const first = await modelWith(key)?.('Think about rain.');
  expect(first).toMatch(/^First, /);
  expect(await modelWith(key)?.('Think about rain.')).not.toBe(first);
  expect(await modelWith(key)?.('The next step: count-todos')).toContain('count');
  await expect(modelWith('other')?.('Think.')).rejects.toThrow('invalid x-api-key');
  expect(createModel({})).toBeUndefined();

  const response = await fetch(`${provider.base_url}/v1/messages`, {
    method: 'POST',
    headers: { 'x-api-key': key },
    body: JSON.stringify({ model: 'gpt', stream: true, messages: [] }),
  });
  expect(response.status).toBe(400);
});
