import { describe, expect, it } from 'vitest';
import { requestOfThread } from '../../../src/slack/mention/handle-mention.ts';
import { createRunOfMessageReader } from '../../../src/slack/runs/reading/run-of-message.ts';
import type { RunRequest } from '../../../src/store/requests/request-row.ts';
import { aRequest } from '../../support/builders.ts';

const mention = {
  teamId: 'T1',
  channelId: 'C1',
  userId: 'U1',
  threadTs: '1.0',
  message: { ts: '2.0', text: 'more', parent_user_id: 'U0AGENT' },
};
const ofRun = { event_type: 'slash_agent_run', event_payload: { request_id: 'r1' } };
const ofDigest = { event_type: 'slash_agent_digest', event_payload: { request_id: 'r1' } };

type Facts = { metadata?: object; request?: Partial<RunRequest>; mention?: object };

/** Finds the run of a thread that the store doesn't know. `metadata` belongs to the thread's first message. */
async function look({ metadata = ofRun, request, ...changes }: Facts) {
  const calls: unknown[] = [];
  const replies = async (call: unknown) => {
    calls.push(call);
    return { ok: true, messages: [{ ts: '1.0', metadata }] };
  };
  const requests = {
    liveInThread: async () => [],
    findOfThread: async () => undefined,
    find: async (id: string) => request && aRequest({ teamId: 'T1', ...request, id }),
  };
  const client = { conversations: { replies } } as unknown as Parameters<
    typeof createRunOfMessageReader
  >[0]['client'];
  const readRunOfMessage = createRunOfMessageReader({ client, requests });
  const asked = { ...mention, ...changes.mention };
  const found = await requestOfThread({ requests, readRunOfMessage }, asked, 'U0AGENT');
  return { calls, found: found && { id: found.request.id, isLive: found.isLive } };
}

describe('the run of a thread that the store does not know', () => {
  it('is the one that the first message names, active or not', async () => {
    const { calls, found } = await look({ request: { step: 'accepted' } });
    expect(calls).toEqual([{ channel: 'C1', ts: '1.0', limit: 1, include_all_metadata: true }]);
    expect(found).toEqual({ id: 'r1', isLive: true });
    const ended = await look({ request: { step: 'ended' } });
    expect(ended.found).toEqual({ id: 'r1', isLive: false });
  });

  it("isn't another workspace's, and none if the message isn't a run message", async () => {
    expect((await look({ request: { teamId: 'T2' } })).found).toBeUndefined();
    expect((await look({})).found).toBeUndefined();
    expect((await look({ metadata: ofDigest, request: {} })).found).toBeUndefined();
  });

  it("costs no call below other people's messages and outside of threads", async () => {
    const others = { message: { ...mention.message, parent_user_id: 'U2' } };
    expect(await look({ request: {}, mention: others })).toEqual({ calls: [], found: undefined });
    const outside = { threadTs: undefined };
    expect(await look({ request: {}, mention: outside })).toEqual({ calls: [], found: undefined });
  });
});
