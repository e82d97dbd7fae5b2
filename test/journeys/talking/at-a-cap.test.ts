import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import {
  shellEnvironment,
  startRunsService,
  temporaryFolder,
  testKey,
} from '../../../packages/runs-service/test/support/runs-service.ts';
import { addsRule } from '../../support/product/policy.ts';
import {
  general,
  runMessageShowing,
  startedProduct,
  textOf,
} from '../../support/product/product.ts';
import { option } from './asking-run.ts';

/** Script of an agent that calls its model three times and fails at the first rejected call. */
const agent = `
const { ANTHROPIC_BASE_URL: base, ANTHROPIC_API_KEY: key } = process.env;
const body = JSON.stringify({ model: 'big', max_tokens: 9, messages: [] });
const call = () => fetch(base + '/v1/messages', { method: 'POST', headers: { 'x-api-key': key }, body });
(async () => {
  require('node:fs').appendFileSync('notes.txt', 'three\\n');
  for (let count = 0; count < 3; count += 1) {
    const response = await call();
    if (response.status !== 200) throw new Error(await response.text());
  }
})();
`;

/** Each call costs one cent. */
const answer = {
  type: 'message',
  model: 'big',
  role: 'assistant',
  content: [{ type: 'text', text: 'ok' }],
  usage: { input_tokens: 10, output_tokens: 0 },
};

/** Starts the product with a runs service whose agent spends three cents. Ada is an admin. */
async function startSpending() {
  const provider = createServer((request, response) => {
    request.resume().on('end', () => {
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
    });
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void provider.close());
  await once(provider, 'listening');
  const { port } = provider.address() as AddressInfo;
  const keyFile = join(temporaryFolder(), 'key');
  writeFileSync(keyFile, 'sk-real-key');
  const environment = shellEnvironment('node -e "$AGENT"', {
    default: true,
    models: ['anthropic'],
    variables: { AGENT: agent },
    providers: [
      {
        name: 'anthropic',
        api: 'anthropic',
        key_file: keyFile,
        base_url: `http://127.0.0.1:${port}`,
        allow_private: true,
        prices: { big: { input: 1_000, output: 1_000 } },
      },
    ],
  });
  const { service } = await startRunsService({ environments: [environment] });
  return startedProduct({ runsApi: { baseUrl: service.apiUrl, apiKey: testKey } });
}

async function startCapped(cap: Record<string, string>) {
  const product = await startSpending();
  const { workspace, ada, grace } = product;
  await addsRule(product, ada, { name: 'Everyone', ...cap });
  await grace.types(general, '/agent run count the notes');
  const message = await runMessageShowing(workspace, 'Needs input');
  const cardShowing = (words: string) =>
    workspace.until(() => {
      const card = workspace
        .messagesIn(general, { thread: message.ts })
        .findLast(({ metadata }) => textOf(metadata).includes('slash_agent_question'));
      return card && textOf(card).includes(words) ? card : undefined;
    });
  const { ts } = await cardShowing('This run has spent $0.02 of $0.02.');
  return { ...product, cardShowing, at: { channelId: general, messageTs: ts, thread: message.ts } };
}

it('a run waits at its cap, and continues where it stopped when an admin allows more', async () => {
  const { workspace, ada, at, cardShowing } = await startCapped({ run_cap: '0.02' });
  await ada.clicks(at, option(0));
  await cardShowing(`✅ $0.02 more allowed by <@${ada.person.id}>`);
  expect(textOf(await runMessageShowing(workspace, 'Succeeded'))).toContain('$0.03');
});

it('a run that is stopped at its cap keeps its changes, and the next is not started', async () => {
  const caps = { run_cap: '0.02', person_cap: '$0.02 per month', time_zone: 'Europe/Berlin' };
  const { workspace, ada, grace, at, cardShowing } = await startCapped(caps);
  await ada.clicks(at, option(1));
  await cardShowing(`⏹️ Stopped by <@${ada.person.id}>`);
  const end = textOf(await runMessageShowing(workspace, 'Stopped at a cap'));
  expect(end).toContain('1 file +1 −0');
  expect(end).toContain('has spent $0.02 of $0.02');
  await grace.types(general, '/agent run again');
  const next = textOf(await runMessageShowing(workspace, 'Not started'));
  expect(next).toMatch(
    /Grace Hopper has spent \$0\.02 of \$0\.02 this month\. It resets on .*Berlin/,
  );
});
