import { WebAPIPlatformError, WebAPIRequestError } from '@slack/web-api';
import { describe, expect, it } from 'vitest';
import { createLineLogger } from '../../../packages/base/test/support/line-logger.ts';
import { createPrivateSender } from '../../../src/slack/posting/post-privately.ts';
import { AnsweringClient } from '../../support/answering-client.ts';

/** Creates a sender whose first call fails with this error. */
function senderTo(error: Error) {
  const calls: object[] = [];
  const call = (method: string) => async (args: object) => {
    calls.push({ method, ...args });
    if (calls.length === 1) throw error;
  };
  const client = new AnsweringClient({
    'chat.postMessage': call('postMessage'),
    'chat.postEphemeral': call('postEphemeral'),
  });
  const { logger } = createLineLogger();
  return { calls, send: createPrivateSender(client, logger) };
}

const lost = new WebAPIRequestError(new Error('socket hang up'));
const rejected = new WebAPIPlatformError({ ok: false, error: 'cannot_reply_to_message' });
const direct = { user: 'U1', channel: 'D1', ts: '1.1', text: 'hello' };

describe('a private message', () => {
  it('is an ordinary one below what it answers in direct messages, and sent once', async () => {
    const { calls, send } = senderTo(lost);
    await send(direct, {});
    expect(calls).toEqual([
      { method: 'postMessage', channel: 'D1', thread_ts: '1.1', text: 'hello' },
    ]);
  });

  it('leaves the thread that Slack rejects', async () => {
    const { calls, send } = senderTo(rejected);
    await send({ ...direct, threadTs: '1.0' }, {});
    expect(calls).toMatchObject([
      { thread_ts: '1.0' },
      { method: 'postMessage', channel: 'U1', text: 'hello' },
    ]);
  });

  it('is ephemeral in a channel, or else a direct message', async () => {
    const { calls, send } = senderTo(lost);
    await send({ ...direct, channel: 'C1' }, {});
    expect(calls).toEqual([
      { method: 'postEphemeral', channel: 'C1', user: 'U1', text: 'hello' },
      { method: 'postMessage', channel: 'U1', text: 'hello' },
    ]);
  });
});
