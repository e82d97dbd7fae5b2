import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { shellEnvironment, startRunsService, temporaryFolder } from '../support/runs-service.ts';
import { answerMessage, messageBody, realKey } from './gateway-bed.ts';

/** Script of an agent that calls the model in the way that Claude Code does, and prints the response. */
const agent = `
const { ANTHROPIC_BASE_URL: base, ANTHROPIC_API_KEY: key } = process.env;
const headers = { 'x-api-key': key };
fetch(base + '/v1/messages?beta=true', { method: 'POST', headers, body: process.argv[1] })
  .then(async (response) => console.log(response.status, await response.text()));
`;

it('lets an agent call models without a key, and counts the call', async () => {
  const keys: unknown[] = [];
  const provider = createServer((request, response) => {
    keys.push(request.headers['x-api-key']);
    request.resume();
    answerMessage(response);
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void provider.close());
  await once(provider, 'listening');
  const { port } = provider.address() as AddressInfo;
  const keyFile = join(temporaryFolder(), 'key');
  writeFileSync(keyFile, realKey);
  const environment = shellEnvironment(`node -e "$AGENT" '${messageBody}'; env`, {
    models: ['anthropic'],
    variables: { AGENT: agent },
    providers: [
      {
        name: 'anthropic',
        api: 'anthropic',
        key_file: keyFile,
        base_url: `http://127.0.0.1:${port}`,
        allow_private: true,
      },
    ],
  });
  const service = await startRunsService({ environments: [environment] });
  const id = await service.begin({ prompt: 'x' });
  const run = await service.until(id, 'SUCCEEDED', 'FAILED');
  const output = readFileSync(join(service.dataDir, 'transcripts', id, 'output.log'), 'utf8');
  expect(run.state).toBe('SUCCEEDED');
  expect(output).toContain('200 event: message_start');
  expect(output).not.toContain(realKey);
  expect(output).not.toContain('sam_');
  expect(keys).toEqual([realKey]);
});
