import { StoreUnavailable } from 'base/database/store-unavailable';
import { createLogger } from 'base/logger';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { InboxKind } from '../../../../src/inbox/inbox.ts';
import { createBoltLogger } from '../../../../src/slack/connection/bolt-logger.ts';
import { acknowledgeInTime } from '../../../../src/slack/connection/deliveries/acknowledge-in-time.ts';
import { answerFailures } from '../../../../src/slack/connection/deliveries/answer-failures.ts';
import { registerErrorHandler } from '../../../../src/slack/connection/deliveries/error-handler.ts';
import { keepLateDeliveries } from '../../../../src/slack/connection/deliveries/kept-deliveries.ts';
import {
  callListeners,
  createListeners,
} from '../../../../src/slack/connection/deliveries/listeners.ts';
import { AcknowledgementLost } from '../../../../src/slack/connection/deliveries/lost-acknowledgements.ts';
import { createBoltApp } from '../../../support/bolt-app.ts';

const body = {
  command: '/agent',
  text: 'run count',
  trigger_id: '1.2',
  user_id: 'U2',
  team_id: 'T1',
};

const ackWaitMs = 700;

type Kind = InboxKind<Record<string, unknown>>;

/** An app with one slow command. @param keep what storing the delivery does */
function createApp(work: () => Promise<string | undefined>, keep: () => Promise<void>) {
  const logger = createLogger('silent');
  const app = createBoltApp({
    logger: createBoltLogger(logger),
    authorize: async () => ({ botToken: 'xoxb-1', botId: 'B1', botUserId: 'U1', teamId: 'T1' }),
    extendedErrorHandler: true,
  });
  let kind: Kind | undefined;
  const intake = { addWhile: keep, add: keep, change: vi.fn(), hasEarlier: vi.fn() };
  const register = (_: string, registered: unknown) => {
    kind = registered as Kind;
    return intake;
  };
  const inboxes = { of: () => ({ register: register as never }) };
  keepLateDeliveries(app, { inboxes, ackWaitMs })('T1');
  answerFailures(app, logger);
  const told = vi.fn(async () => {});
  const sendLater = vi.fn(async () => {});
  registerErrorHandler(app, logger, () => told);
  const listeners = createListeners();
  listeners.command('/agent', ({ ack, context }) =>
    acknowledgeInTime({ ack: () => ack(), context }, work, sendLater),
  );
  const teamIdOf = async () => 'T1';
  callListeners(app, { of: () => listeners, teamIdOf, clientOf: () => app.client, steps: [] });
  const ack = vi.fn(async () => {});
  return {
    told,
    ack,
    sendLater,
    deliver: () => app.processEvent({ body, ack }),
    repeat: () => kind?.handle(body, new AbortController().signal),
  };
}

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

/** Works longer than an acknowledgement waits. */
const workLong = () => vi.advanceTimersByTimeAsync(ackWaitMs + 1);
const unavailable = (outcome: 'undone' | 'unknown') => async () => {
  await workLong();
  throw new StoreUnavailable(outcome);
};

it("a command that is kept but couldn't be saved is tried again, and no one hears that nothing was started", async () => {
  const work = vi.fn<() => Promise<undefined>>(unavailable('undone'));
  const { told, ack, deliver, repeat } = createApp(work, async () => {});
  await deliver();
  expect(ack.mock.calls).toEqual([[undefined]]);
  expect(await repeat()).toMatchObject({ againAt: expect.any(Number) });
  work.mockResolvedValue(undefined);
  expect(await repeat()).toBe('done');
  expect(told).not.toHaveBeenCalled();
});

it("a command that can't be kept is acknowledged with what came of it", async () => {
  const work = async () => void (await workLong());
  const keep = async () => {
    throw new StoreUnavailable('undone');
  };
  const { told, ack, deliver } = createApp(work, keep);
  await deliver();
  expect(ack.mock.calls).toEqual([[undefined]]);
  expect(told).not.toHaveBeenCalled();
});

it('a command that may be kept and failed is answered that no one knows', async () => {
  const keep = async () => {
    throw new StoreUnavailable('unknown');
  };
  const { ack, deliver } = createApp(unavailable('undone'), keep);
  await deliver();
  expect(JSON.stringify(ack.mock.calls)).toContain("We couldn't confirm that this was saved.");
});

it('a command that is kept is answered even if Slack no longer waited for the acknowledgement', async () => {
  const work = async () => {
    await workLong();
    return 'Your run is starting.';
  };
  const { ack, sendLater, told, deliver } = createApp(work, async () => {});
  ack.mockRejectedValue(new AcknowledgementLost('too late'));
  await deliver();
  expect(sendLater.mock.calls).toEqual([['Your run is starting.']]);
  expect(told).not.toHaveBeenCalled();
});
