import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { ServiceEnvironment } from '../../src/environments/environments.ts';
import { shellEnvironment, temporaryFolder } from '../support/runs-service.ts';
import { answerMessage, messageBody, realKey } from './gateway-bed.ts';

/** Agent that makes some calls one after the other, and repeats those that fail because the service is down. */
const agent = `
const { ANTHROPIC_BASE_URL: base, ANTHROPIC_API_KEY: key } = process.env;
const [, , body, count] = process.argv;
const headers = { 'x-api-key': key };
for (let number = 1; number <= Number(count); number += 1) {
  const response = await fetch(base + '/v1/messages', { method: 'POST', headers, body });
  const text = await response.text();
  console.log('call', number, response.status, response.ok ? '' : text);
  if (!response.ok) process.exit(1);
}`;

/** Starts a model provider whose calls cost one dollar each. Returns an environment that uses it. */
export async function spendingEnvironment(
  calls: number,
  more: Partial<ServiceEnvironment> = {},
  answer: (response: ServerResponse) => void = answerMessage,
): Promise<{ environment: ServiceEnvironment; answered: () => number }> {
  let answered = 0;
  const provider = createServer((request, response) => {
    request.resume();
    answered += 1;
    answer(response);
  }).listen(0, '127.0.0.1');
  onTestFinished(() => {
    provider.closeAllConnections();
    provider.close();
  });
  await once(provider, 'listening');
  const { port } = provider.address() as AddressInfo;
  const folder = temporaryFolder();
  const keyFile = join(folder, 'key');
  writeFileSync(keyFile, realKey);
  const program = join(folder, 'agent.mjs');
  writeFileSync(program, agent);
  const script = `echo more >> notes.txt; exec node ${program} '${messageBody}' ${calls}`;
  const environment = shellEnvironment(script, {
    models: ['anthropic'],
    providers: [
      {
        name: 'anthropic',
        api: 'anthropic',
        key_file: keyFile,
        base_url: `http://127.0.0.1:${port}`,
        allow_private: true,
        prices: { 'claude-opus-5-5': { input: 10_000, output: 0 } },
      },
    ],
    ...more,
  });
  return { environment, answered: () => answered };
}

/** Cap of two dollars for each run, in the environments file. */
export const twoDollars = { scope: 'run', usd: 2, per: 'run' } as const;
