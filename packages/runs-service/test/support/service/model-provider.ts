import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { ServiceEnvironment } from '../../../src/environments/environments.ts';
import { answerMessage } from '../../gateway/gateway-bed.ts';
import { temporaryFolder } from '../runs-service.ts';

/** Model key of the operator, which no agent may ever see. */
export const operatorKey = 'sk-canary-of-the-operator-0123456789';

type Answer = (response: ServerResponse, request: IncomingMessage) => void;

/** Starts a model provider, and returns the settings of an environment whose agents use it. */
export async function startModelProvider(answer: Answer = answerMessage) {
  const keys: unknown[] = [];
  let answerNow = answer;
  const server = createServer((request, response) => {
    keys.push(request.headers['x-api-key']);
    request.resume();
    answerNow(response, request);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const keyFile = join(temporaryFolder(), 'key');
  writeFileSync(keyFile, `${operatorKey}\n`);
  const { port } = server.address() as AddressInfo;
  const settings: Pick<ServiceEnvironment, 'models' | 'providers'> = {
    models: ['anthropic'],
    providers: [
      {
        name: 'anthropic',
        api: 'anthropic',
        key_file: keyFile,
        base_url: `http://127.0.0.1:${port}`,
        allow_private: true,
        // With these prices, a whole call costs $0.00175.
        prices: { 'claude-opus-5-5': { input: 5, output: 25 } },
      },
    ],
  };
  return {
    settings,
    keyFile,
    /** Returns the keys that the provider got, one for each call. */
    keys: () => keys,
    answerWith(next: Answer): void {
      answerNow = next;
    },
  };
}

const callModel = `
const { ANTHROPIC_BASE_URL: base, ANTHROPIC_API_KEY: key } = process.env;
const body = JSON.stringify({
  model: 'claude-opus-5-5', stream: true, max_tokens: 9, messages: [{ role: 'user', content: 'hi' }],
});
const pause = (ms) => new Promise((done) => setTimeout(done, ms));
async function call(triesLeft) {
  try {
    const headers = { 'x-api-key': key };
    const response = await fetch(base + '/v1/messages', { method: 'POST', headers, body });
    const text = await response.text();
    if (response.status < 500) return console.log('status', response.status, text);
    console.log('again after', response.status);
  } catch (error) {
    console.log('again after a cut');
  }
  if (triesLeft > 0) await pause(300).then(() => call(triesLeft - 1));
}
call(100);
`;

/** Shell command of an agent that calls a model like Claude Code does, and repeats calls that fail. */
export const callingAgent = `node -e '${callModel.replaceAll("'", `'"'"'`)}'`;
