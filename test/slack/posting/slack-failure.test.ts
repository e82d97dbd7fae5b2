import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { LogLevel, WebClient } from '@slack/web-api';
import { createLogger } from 'base/logger';
import { expect, it, onTestFinished } from 'vitest';
import { createSlackFetch } from '../../../src/slack/connection/calls/slack-fetch.ts';
import {
  createWebClient,
  listenerClientOptions,
} from '../../../src/slack/connection/calls/web-client.ts';
import { fixedToken } from '../../../src/slack/connection/installations/installations.ts';
import { readSlackFailure, SlackUnreachable } from '../../../src/slack/posting/slack-failure.ts';

async function startServer(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return `http://127.0.0.1:${port}/api/`;
}

const logger = createLogger('silent');
const postWith = (client: WebClient) =>
  client.chat.postMessage({ channel: 'C1', text: 'x' }).then(() => 'posted', readSlackFailure);

/** Posts to a Slack that gives this answer. Returns the failure that the app reads from it. */
async function troubleAfter(status: number, body: string, headers: Record<string, string> = {}) {
  const apiUrl = await startServer((_, response) => response.writeHead(status, headers).end(body));
  return postWith(createWebClient({ tokens: fixedToken('xoxb-1'), apiUrl, logger }));
}

it.each([
  [
    'of following',
    (apiUrl: string) => createWebClient({ tokens: fixedToken('xoxb-1'), apiUrl, logger }),
  ],
  [
    'of listeners',
    (apiUrl: string) =>
      new WebClient('xoxb-1', { ...listenerClientOptions(apiUrl), logLevel: LogLevel.ERROR }),
  ],
])(
  'a connection that breaks in the middle of an answer may pass by itself (%s)',
  async (_, create) => {
    const apiUrl = await startServer((_, response) => {
      response.writeHead(200, { 'content-length': 1_000 });
      response.write('{"ok":', () => response.destroy());
    });
    expect(await postWith(create(apiUrl))).toMatchObject({ outcome: 'later' });
  },
);

it.each([
  ["a proxy's page", 200, '<html>Sign in to the proxy</html>'],
  ['an empty body', 200, ''],
  ['a truncated answer', 200, '{"ok":tr'],
  ["JSON that isn't Slack's", 200, '{"ok":false,"error":"Please sign in"}'],
  ['a server error', 503, 'upstream connect error'],
  ['an internal error', 200, '{"ok":false,"error":"internal_error"}'],
])('%s may pass automatically', async (_, status, body) => {
  expect(await troubleAfter(status, body)).toMatchObject({ outcome: 'later' });
});

it("keeps Slack's error code as the reason", async () => {
  const answer = '{"ok":false,"error":"channel_not_found"}';
  expect(await troubleAfter(200, answer)).toEqual({
    outcome: 'rejected',
    reason: 'channel_not_found',
  });
});

it('reads how long to wait from a rate limit', async () => {
  const trouble = await troubleAfter(429, '{"ok":false}', { 'retry-after': '7' });
  expect(trouble).toMatchObject({ outcome: 'later', retryAfterMs: 7_000 });
});

it("what Slack says about a rejected call is no error: the caller knows whether it's one", async () => {
  const lines: { level: number; msg: string }[] = [];
  const apiUrl = await startServer((_, response) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end(
      JSON.stringify({
        ok: false,
        error: 'invalid_arguments',
        response_metadata: { messages: ['[ERROR] no such thread [json-pointer:/thread_ts]'] },
      }),
    ),
  );
  const kept = createLogger('info', { write: (line) => void lines.push(JSON.parse(line)) });
  const client = createWebClient({ tokens: fixedToken('xoxb-1'), apiUrl, logger: kept });
  const reason = 'invalid_arguments';
  expect(await postWith(client)).toMatchObject({ outcome: 'rejected', reason });
  const warning = { level: 40, msg: 'no such thread [json-pointer:/thread_ts]' };
  expect(lines).toEqual([expect.objectContaining(warning)]);
});

it("a proxy's page in place of the answer of a response_url is a failure", async () => {
  const answers = ['<html>Sign in to the proxy</html>', 'ok'];
  const apiUrl = await startServer((_, response) => response.end(answers.shift()));
  const url = apiUrl.replace('/api/', '/commands/T1/1/secret');
  const send = createSlackFetch();
  await expect(send(url)).rejects.toThrow(SlackUnreachable);
  expect(await (await send(url)).text()).toBe('ok');
});
