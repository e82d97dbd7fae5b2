import { once } from 'node:events';
import { createServer } from 'node:http';
import { expect, it, onTestFinished } from 'vitest';
import { createLineLogger } from '../../packages/base/test/support/line-logger.ts';
import { createSlackClock } from '../../src/slack/posting/slack-clock.ts';
import { createWorkspace } from '../../src/slack/workspace.ts';
import { createSettings } from '../../src/store/people/settings.ts';
import { useDatabase } from '../support/database/databases.ts';

/** Starts a Slack with two tokens that have different scopes. */
async function startSlack(): Promise<string> {
  const scopes = { 'Bearer app': 'chat:write', 'Bearer step': 'commands' };
  const server = createServer(({ headers }, answer) => {
    const granted = Object.entries(scopes).find(([token]) => token === headers.authorization);
    answer.setHeader('x-oauth-scopes', granted?.[1] ?? '');
    answer.setHeader('content-type', 'application/json').end('{"ok":true}');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/api/`;
}

const database = useDatabase();

it("learns no granted scopes from the token of a workflow step, which isn't the app's", async () => {
  const { logger, lines } = createLineLogger();
  const tokensOf = () => ({ read: async () => 'app' });
  const unexpected = () => expect.unreachable('Slack was asked where the app is');
  const workspace = createWorkspace('T1', {
    apiUrl: await startSlack(),
    installations: {
      tokensOf,
      recall: () => undefined,
      start: unexpected,
      find: unexpected,
      load: unexpected,
      isShared: () => false,
    },
    scopes: { required: ['chat:write'], optional: [] },
    publicUrl: undefined,
    store: { settings: createSettings(database()), slackWrites: undefined },
    clock: createSlackClock(),
    budget: undefined,
    policyFile: undefined,
    ackWaitMs: 100,
    callTimeoutMs: undefined,
    isOnBehalf: false,
    stopping: new AbortController().signal,
    logger,
  });
  await workspace.client.auth.test();
  await workspace.clientWith('step').auth.test();
  expect(workspace.granted.missing().required).toEqual([]);
  expect(lines).toEqual([]);
});
