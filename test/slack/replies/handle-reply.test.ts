import { RunsApiError, type RunsApiErrorCode } from 'runs-client/runs-api-error';
import { describe, expect, it } from 'vitest';
import { ownAuthority } from '../../../src/requests/authority.ts';
import { createReplyHandler } from '../../../src/slack/replies/handle-reply.ts';
import type { Reply } from '../../../src/slack/replies/read-reply.ts';
import { createMessageActs } from '../../../src/slack/runs/acting/message-acts.ts';
import type { RunStart } from '../../../src/slack/runs/acting/run-start.ts';
import type { RunRequest } from '../../../src/store/requests/request-row.ts';
import { aRequest, aRun } from '../../support/builders.ts';

const written: Reply = {
  teamId: 'T1',
  channelId: 'C1',
  threadTs: '100.000001',
  userId: 'U1',
  message: { ts: '200.000001', text: 'and the tests' },
};
const active = aRequest({ step: 'following', runId: 'run-1', run: aRun({ state: 'INPROGRESS' }) });
const run = aRun({ state: 'SUCCEEDED', conversation_id: 'conversation-1' });
const ended = aRequest({ step: 'ended', runId: 'run-1', run });

type Facts = {
  request?: Partial<RunRequest>;
  reply?: Partial<Reply>;
  fails?: ConstructorParameters<typeof RunsApiError>[0];
  isEarlierLeft?: boolean;
  isStarted?: boolean;
  /** Reason why a rule denies the reply. */
  rejection?: string;
};

/** Handles a reply once. `log` lists its effects in order. */
async function handle({
  request,
  reply,
  fails,
  isEarlierLeft = false,
  isStarted,
  rejection,
}: Facts) {
  const log: unknown[] = [];
  const started: RunStart[] = [];
  let stored: Reply = { ...written, ...reply };
  const replies = {
    async change(_: string, change: (reply: Reply) => Reply | undefined) {
      stored = change(stored) ?? stored;
      return stored;
    },
    hasEarlier: async () => isEarlierLeft,
  };
  const parts = {
    requests: {
      find: async () => (isStarted ? aRequest({ origin: { kind: 'reply' } }) : undefined),
      findOfThread: async () => ({ ...active, ...request }),
    },
    access: { message: async () => ({ request: active }) },
    rights: {
      authorizeMessage: async () =>
        rejection === undefined ? { authority: ownAuthority('U1') } : { denial: rejection },
    },
    settings: { readLayers: async () => new Map(), list: async () => [] },
    connect: () => ({
      runs: {
        async followUp(
          runId: string,
          text: string,
          { idempotencyKey }: { idempotencyKey: string },
        ) {
          log.push(['sent', runId, text, idempotencyKey]);
          if (fails) throw new RunsApiError(fails);
        },
      },
    }),
    async startRun(start: RunStart) {
      started.push(start);
      return { outcome: 'accepted', visibleInMs: 0, canPost: true };
    },
    audit: { note: async ({ action }: { action: string }) => void log.push(action) },
    readNames: async () => new Map(),
    readPermalink: async () => undefined,
    react: async (_: unknown, name: string) => void log.push(name),
    markSource: async () => void log.push('marked'),
    tell: async (_: unknown, { text }: { text: string }) => void log.push(text),
    wake: () => {},
    botUserId: () => 'U0AGENT',
    botId: () => 'B0AGENT',
  };
  const acts = createMessageActs(parts as unknown as Parameters<typeof createMessageActs>[0]);
  const handleReply = createReplyHandler({
    ...(parts as unknown as Parameters<typeof createReplyHandler>[0]),
    acts,
  });
  const left = await handleReply(stored, replies).catch((error: RunsApiError) => error.code);
  return { left, log, stored, started };
}

const sent = ['sent', 'run-1', 'and the tests', 'T1-C1-200.000001'];
const fails = (code: RunsApiErrorCode, more: object = {}) => ({
  fails: { code, message: code, ...more },
});
const later = { againAt: expect.any(Number) };

describe('a reply to an active run', () => {
  it.each<[string, Facts, unknown, unknown[]]>([
    ['is sent', {}, 'done', [sent, 'run_followed_up', 'white_check_mark']],
    [
      "isn't sent for someone whom a rule keeps from it",
      { rejection: 'The rule "Closed" rejects it.' },
      'done',
      ['⚠️ The rule "Closed" rejects it.'],
    ],
    [
      'waits for a run',
      { request: { runId: null, run: null } },
      { waitsFor: expect.objectContaining({ until: 'run' }) },
      [],
    ],
    ['waits for an earlier one', { isEarlierLeft: true }, later, []],
    [
      'waits for the end if the service takes no message',
      fails('not_found'),
      { waitsFor: { requestId: active.id, until: 'end' } },
      [sent, 'hourglass_flowing_sand'],
    ],
    [
      'waits for the end of a run that ended just now',
      { request: { run } },
      { waitsFor: { requestId: active.id, until: 'end' } },
      [],
    ],
    [
      'is offered again if the run ended while no one followed it',
      { request: { run, unfollowedAt: 1 } },
      'done',
      [expect.stringContaining('Start a new run')],
    ],
    [
      'is offered again if no one follows the run',
      { request: { unfollowedAt: 1 }, ...fails('bad_request') },
      'done',
      [sent, expect.stringContaining('Start a new run')],
    ],
    [
      'is tried again if nothing was sent',
      fails('connection', { sent: false }),
      'connection',
      [sent],
    ],
    [
      "isn't repeated if it may have arrived",
      fails('timeout'),
      'done',
      [sent, expect.stringContaining('Reply again')],
    ],
    ['is not sent when it was withdrawn', { reply: { isWithdrawn: true } }, 'done', []],
    [
      'goes to the same run after a crash',
      { reply: { sentTo: 'run-0' }, request: ended },
      'done',
      [['sent', 'run-0', ...sent.slice(2)], 'run_followed_up', 'white_check_mark'],
    ],
  ])('%s', async (_, facts, left, log) => {
    expect(await handle(facts)).toMatchObject({ left, log });
  });

  it('can be edited until it is sent, and again if nothing was sent', async () => {
    expect((await handle({})).stored).toHaveProperty('sentTo', 'run-1');
    expect((await handle(fails('rate_limited'))).stored).not.toHaveProperty('sentTo');
    expect((await handle(fails('not_found'))).stored).not.toHaveProperty('sentTo');
    // The attempt before the crash may have reached the run.
    const again = { ...fails('rate_limited'), reply: { sentTo: 'run-1' } };
    expect((await handle(again)).stored).toHaveProperty('sentTo', 'run-1');
  });
});

describe('a reply to a run that has ended', () => {
  it('starts the next run of the conversation', async () => {
    const { left, log, started } = await handle({ request: ended });
    expect([left, log]).toEqual(['done', ['marked']]);
    const conversation = { id: 'conversation-1', channelId: 'C1', connectionId: 'default' };
    const origin = { kind: 'reply', threadTs: '100.000001', conversation };
    const asked = { id: 'T1-C1-200.000001', prompt: 'and the tests', channelId: 'C1' };
    expect(started).toEqual([
      expect.objectContaining({ ...asked, origin: expect.objectContaining(origin) }),
    ]);
  });

  const keyed = {
    config: { mcp_servers: { logs: { url: 'https://x.example', headers: { token: 'k' } } } },
  };
  const canceled = { ...ended, run: aRun({ state: 'CANCELLED', conversation_id: 'c' }) };
  it.each<[string, Facts, unknown, unknown[]]>([
    ['that it has started already', { isStarted: true }, 'done', ['marked']],
    ['waits for an earlier one', { request: ended, isEarlierLeft: true }, later, []],
    [
      'is offered if the service has no conversations',
      { request: { ...ended, run: aRun() } },
      'done',
      [expect.stringContaining('Start a new run')],
    ],
    [
      'is for its thread if it was written elsewhere',
      { request: { ...ended, channelId: 'C9' } },
      'done',
      [expect.stringContaining('continues in <#C9>')],
    ],
    [
      'is dropped if the run was canceled meanwhile',
      { request: { ...canceled, cancelAskedAt: 300_000 } },
      'done',
      [expect.stringContaining('was canceled before')],
    ],
  ])('%s', async (_, facts, left, log) => {
    const { started, ...done } = await handle(facts);
    expect(done).toMatchObject({ left, log });
    expect(started).toEqual([]);
  });

  it("starts it without another person's keys, and says so", async () => {
    const { log, started } = await handle({
      request: { ...ended, ...keyed, authority: ownAuthority('U2') },
    });
    expect(started).toMatchObject([{ config: {}, authority: { actorId: 'U1', keysOf: 'U1' } }]);
    expect(log).toEqual(['marked', expect.stringContaining('without the MCP server logs')]);
  });

  it('continues after a cancel', async () => {
    const { started } = await handle({ request: { ...canceled, cancelAskedAt: 100_000 } });
    expect(started).toHaveLength(1);
  });
});
