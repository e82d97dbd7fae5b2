import { StoreUnavailable } from 'base/database/store-unavailable';
import { createLogger } from 'base/logger';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { InboxKind } from '../../../../src/inbox/inbox.ts';
import {
  acknowledgeInTime,
  createKeeper,
} from '../../../../src/slack/connection/deliveries/acknowledge-in-time.ts';
import { answerFailures } from '../../../../src/slack/connection/deliveries/answer-failures.ts';
import { AcknowledgementLost } from '../../../../src/slack/connection/deliveries/lost-acknowledgements.ts';
import { createBoltApp } from '../../../support/bolt-app.ts';
import { listen } from '../../../support/listen.ts';

const body = {
  command: '/agent',
  text: 'run count',
  trigger_id: '1.2',
  user_id: 'U2',
  team_id: 'T1',
};

const ackWaitMs = 700;

type Kind = InboxKind<Record<string, unknown>>;

/**
 * Creates an app with one slow command.
 * @param keep stores the delivery
 */
function createApp(work: () => Promise<string | undefined>, keep: () => Promise<void>) {
  const logger = createLogger('silent');
  let kind: Kind | undefined;
  const told = vi.fn(async () => {});
  const sendLater = vi.fn(async () => {});
  const { listeners, deliver } = listen(createBoltApp(), () => [
    answerFailures({ sendPrivatelyIn: () => told, logger }),
  ]);
  const keeper = createKeeper({
    register(_, registered) {
      kind = registered;
      return { addWhile: keep };
    },
    ackWaitMs,
    deliver,
  });
  keeper.prepare('T1');
  listeners.command('/agent', ({ ack, context }) =>
    acknowledgeInTime({ ack: () => ack(), context }, work, sendLater),
  );
  const ack = vi.fn(async () => {});
  return {
    told,
    ack,
    sendLater,
    deliver: () => deliver({ body, ack }, keeper.keepable(body)),
    repeat: () => kind?.handle(body, new AbortController().signal),
  };
}

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

/** Advances the time until the wait before an acknowledgement is over. */
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
  expect(JSON.stringify(ack.mock.calls)).toContain('This may not have been saved.');
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
