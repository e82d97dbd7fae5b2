import { RunsApiError } from 'runs-client/runs-api-error';
import { describe, expect, it } from 'vitest';
import { ownAuthority } from '../../../src/requests/authority.ts';
import { createMentionHandler } from '../../../src/slack/mention/handle-mention.ts';
import type { Mention } from '../../../src/slack/mention/read-mention.ts';
import { createMessageActs } from '../../../src/slack/runs/acting/message-acts.ts';
import type { RunRequest } from '../../../src/store/requests/request-row.ts';
import { aRequest, aRun } from '../../support/builders.ts';

const mention = {
  teamId: 'T1',
  channelId: 'C1',
  userId: 'U1',
  threadTs: '1.0',
  message: { ts: '2.0', text: '<@U0AGENT> also count the tests' },
};

const authority = ownAuthority('U1');
const never = () => Promise.reject(new Error('not called'));

type HandlerDeps = Parameters<typeof createMentionHandler>[0];
type FollowUp = (
  runId: string,
  text: string,
  options?: { idempotencyKey?: string | undefined },
) => Promise<{ run_id: string }>;

/** Handles a mention with these requests and rights. */
function handle(
  handled: Mention,
  {
    requests,
    rights,
    followUp = never,
    isCurrent = true,
  }: {
    requests: Partial<HandlerDeps['requests']>;
    rights: Partial<HandlerDeps['rights']>;
    followUp?: FollowUp;
    isCurrent?: boolean;
  },
) {
  const readNames = async () => new Map<string, string>();
  const markSource = async () => {};
  const acts = createMessageActs({
    requests: { askCancel: never, find: never },
    answers: { find: never, give: never },
    audit: { note: async () => {} },
    settings: { readLayers: never, list: never },
    access: { command: never },
    rights: { authorizeAnswer: never },
    connect: async () => ({ runs: { followUp } }),
    startRun: () => expect.unreachable('a run was started'),
    markSource,
    readNames,
    wake: () => undefined,
  });
  const handleMention = createMentionHandler({
    requests: { liveInThread: never, findOfThread: never, find: never, ...requests },
    rights: { denyStart: never, denyFollowUp: never, authorizeMessage: never, ...rights },
    acts,
    startFromMention: () => expect.unreachable('a run was started'),
    readRunOfMessage: never,
    readThread: never,
    readPermalink: never,
    readNames,
    markSource,
    help: { text: '' },
    botUserId: () => 'U0AGENT',
    botId: () => 'B0AGENT',
  });
  return handleMention(handled, {
    isCurrent: async () => isCurrent,
    noteSent: async () => isCurrent,
    isEarlierLeft: async () => false,
  });
}

/**
 * Handles a mention in the thread of an active run.
 * @param failure error of the call
 */
async function followUp(
  rejection: string | undefined,
  started: string[] = [],
  { isCurrent = true, failure }: { isCurrent?: boolean; failure?: RunsApiError } = {},
) {
  const sent: string[] = [];
  const active = aRequest({
    connectionId: 'c1/T1/U1',
    step: 'following',
    runId: 'run-1',
    run: aRun({ state: 'INPROGRESS' }),
  });
  const answer = await handle(mention, {
    requests: {
      liveInThread: async () => [active],
      find: async (id: string) => (started.includes(id) ? aRequest({ id }) : undefined),
    },
    // The start is denied, which shows that the mention isn't treated as a follow-up.
    rights: {
      denyFollowUp: async () => rejection,
      authorizeMessage: async () => ({ authority }),
      denyStart: async () => 'A start.',
    },
    followUp: async (runId, text) => {
      if (failure) throw failure;
      sent.push(text);
      return { run_id: runId };
    },
    isCurrent,
  });
  return {
    sent,
    text: typeof answer === 'string' ? answer : answer && 'text' in answer && answer.text,
  };
}

it('a mention that may have been sent is sent again with its key, although the run is over', async () => {
  const over = aRequest({ id: 'r1', runId: 'run-1', run: aRun({ state: 'SUCCEEDED' }) });
  const keys: (string | undefined)[] = [];
  const answer = await handle(
    { ...mention, sentTo: 'r1' },
    {
      requests: { find: async (id: string) => (id === 'r1' ? over : undefined) },
      rights: {
        denyFollowUp: async () => undefined,
        authorizeMessage: async () => ({ authority }),
      },
      followUp: async (_runId, _text, options) => {
        keys.push(options?.idempotencyKey);
        return { run_id: 'run-1' };
      },
    },
  );
  expect(answer).toMatchObject({ text: expect.stringMatching(/^Sent to/) });
  expect(keys).toEqual(['T1-C1-2.0']);
});

describe('a mention in the thread of an active run', () => {
  it('is sent to the run', async () => {
    const { sent, text } = await followUp(undefined);
    expect(sent).toEqual(['also count the tests']);
    expect(text).toMatch(/^Sent to/);
  });

  it("isn't sent again if it started a run before the process died", async () => {
    const { sent, text } = await followUp(undefined, ['T1-C1-2.0']);
    expect(sent).toEqual([]);
    expect(text).toBe('⚠️ A start.');
  });

  it("isn't sent if it was edited meanwhile", async () => {
    const { sent, text } = await followUp(undefined, [], { isCurrent: false });
    expect([sent, text]).toEqual([[], 'edited']);
  });

  it.each([
    ['unauthorized', 'The runs service rejected <@'],
    ['rate_limited', 'The runs service is getting too many requests.'],
  ] as const)('says that it may not have arrived, and why: %s', async (code, why) => {
    const { text } = await followUp(undefined, [], {
      failure: new RunsApiError({ code, message: 'no' }),
    });
    expect(text).toContain(why);
    expect(text).not.toMatch(/RUNS_API_KEY|keep trying/);
    expect(text).toContain('Mention the app again to resend it.');
  });

  it("isn't sent for someone who may not follow up", async () => {
    const { sent, text } = await followUp('Only members can do that.');
    expect(sent).toEqual([]);
    expect(text).toContain('Only members can do that.');
  });
});

describe('a mention that only says stop, where no run is active', () => {
  /**
   * Handles a mention that says stop.
   * @param known the run whose message starts the thread
   */
  async function stops(text: string, threadTs: string | undefined, known?: RunRequest) {
    const { threadTs: _, ...elsewhere } = mention;
    const said = { ts: '2.0', text: `<@U0AGENT> ${text}`, parent_user_id: 'U1' };
    const asked = { ...elsewhere, ...(threadTs && { threadTs }), message: said };
    return handle(asked, {
      requests: {
        liveInThread: async () => [],
        findOfThread: async () => known,
        find: async () => undefined,
      },
      rights: { denyStart: async () => undefined },
    });
  }

  it.each(['stop', 'Cancel!'])('starts no run: %s', async (text) => {
    const inThread = 'No run is active in this thread, so nothing was canceled.';
    expect(await stops(text, '1.0')).toEqual({ text: inThread });
    expect(await stops(text, undefined)).toMatchObject({
      text: expect.stringContaining('`@agent stop` in its thread'),
    });
  });

  it('in the thread of a run that has ended offers no other run', async () => {
    const over = aRequest({ step: 'ended', run: aRun({ state: 'SUCCEEDED' }) });
    expect(await stops('stop', '1.0', over)).toEqual({ text: 'This run has already ended.' });
  });
});
