import { expect, it } from 'vitest';
import { sendJson, startApiServer } from '../support/api-server.ts';

it.each([
  ['Ask the operator for a new one.', 'Ask the operator for a new one. Check the API key.'],
  ['Unauthorized', 'Unauthorized: check the API key'],
])('an error says what to do after %j', async (detail, message) => {
  const api = await startApiServer((response) => sendJson(response, 401, { detail }));
  await expect(api.client({ maxRetries: 0 }).runs.get('r')).rejects.toThrow(
    `GET /agent/runs/r failed with 401: ${message}`,
  );
});
