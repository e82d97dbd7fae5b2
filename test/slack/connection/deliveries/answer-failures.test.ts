import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createLogger } from 'base/logger';
import { expect, it, onTestFinished } from 'vitest';
import { createBoltLogger } from '../../../../src/slack/connection/bolt-logger.ts';
import {
  createWebClient,
  listenerClientOptions,
} from '../../../../src/slack/connection/calls/web-client.ts';
import { answerFailures } from '../../../../src/slack/connection/deliveries/answer-failures.ts';
import { fixedToken } from '../../../../src/slack/connection/installations/installations.ts';
import {
  createPrivateSender,
  type SendPrivately,
} from '../../../../src/slack/posting/post-privately.ts';
import { createBoltApp } from '../../../support/bolt-app.ts';
import { listen } from '../../../support/listen.ts';

/** Nothing listens on this port. */
const nowhere = 'http://127.0.0.1:9/';

it("logs a response_url that can't be reached as a warning without a stack trace", async () => {
  const lines: { level: number; msg: string; err?: unknown; code?: string }[] = [];
  const logger = createLogger('warn', { write: (line) => void lines.push(JSON.parse(line)) });
  const app = createBoltApp({
    logger: createBoltLogger(logger),
    clientOptions: { ...listenerClientOptions(nowhere), retryConfig: { retries: 0 } },
  });
  const client = createWebClient({ tokens: fixedToken('xoxb-1'), apiUrl: nowhere, logger });
  const sendPrivatelyIn = () => createPrivateSender(client, logger);
  const { listeners, deliver } = listen(app, () => [answerFailures({ sendPrivatelyIn, logger })]);
  listeners.command('/agent', async ({ ack, respond }) => {
    await ack();
    await respond('Your runs');
  });
  const sender = { team_id: 'T1', user_id: 'U2', channel_id: 'C1' };
  const body = { command: '/agent', text: 'list', ...sender, response_url: nowhere };
  await deliver({ body, ack: async () => {} });
  expect(lines).toContainEqual(
    expect.objectContaining({ level: 40, code: 'slack_trouble', what: '/agent' }),
  );
  expect(lines.filter(({ level }) => level > 40)).toEqual([]);
  expect(JSON.stringify(lines)).not.toContain('stack');
});

it('logs that the address for answers has expired, and nobody is told of a failure', async () => {
  const server = createServer((_, response) => void response.writeHead(404).end('expired_url'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const lines: { level: number; msg: string }[] = [];
  const logger = createLogger('info', { write: (line) => void lines.push(JSON.parse(line)) });
  const app = createBoltApp({ logger: createBoltLogger(logger) });
  const sent: unknown[] = [];
  const sendPrivately: SendPrivately = async (...notice) => void sent.push(notice);
  const { listeners, deliver } = listen(app, () => [
    answerFailures({ sendPrivatelyIn: () => sendPrivately, logger }),
  ]);
  listeners.command('/agent', async ({ ack, respond }) => {
    await ack();
    await respond('Your runs');
  });
  const sender = { team_id: 'T1', user_id: 'U2', channel_id: 'C1' };
  const body = { command: '/agent', text: 'list', ...sender, response_url: url };
  await deliver({ body, ack: async () => {} });
  expect(lines.map(({ level, msg }) => [level, msg])).toEqual([
    [30, "Couldn't answer, because Slack's address for answers has expired"],
  ]);
  expect(sent).toEqual([]);
});
