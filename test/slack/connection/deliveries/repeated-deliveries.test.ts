import type { BlockAction, Middleware, SlackActionMiddlewareArgs } from '@slack/bolt';
import { StoreUnavailable } from 'base/database/store-unavailable';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { unlessLost } from '../../../../src/slack/connection/deliveries/acknowledge-in-time.ts';
import { AcknowledgementLost } from '../../../../src/slack/connection/deliveries/lost-acknowledgements.ts';
import {
  ignoreRepeatedDeliveries,
  markAcknowledged,
} from '../../../../src/slack/connection/deliveries/repeated-deliveries.ts';
import { createDeliveries } from '../../../../src/store/inbox/deliveries.ts';
import { createBoltApp } from '../../../support/bolt-app.ts';
import { useDatabase } from '../../../support/database/databases.ts';
import { listen } from '../../../support/listen.ts';

type Act = Middleware<SlackActionMiddlewareArgs<BlockAction>>;

const never = () => new Promise<never>(() => {});

describe('a click that Slack delivers twice', () => {
  const database = useDatabase();
  beforeEach(async () => void (await database().deleteFrom('deliveries').execute()));

  /** Creates a replica of an app with one button. */
  function createReplica(act: Act, deliveries = createDeliveries(database())) {
    const { listeners, deliver: send } = listen(createBoltApp(), () => [
      markAcknowledged(deliveries),
      (delivery, next) => next(delivery).catch(unlessLost),
      ignoreRepeatedDeliveries(deliveries),
    ]);
    const ran = vi.fn();
    listeners.action('cancel', async (args) => {
      ran();
      await act(args as Parameters<Act>[0]);
    });
    const ack = vi.fn(async () => {});
    const deliver = (triggerId: string) =>
      send({
        body: {
          type: 'block_actions',
          trigger_id: triggerId,
          user: { id: 'U2' },
          team: { id: 'T1' },
          actions: [{ type: 'button', action_id: 'cancel' }],
        },
        ack,
      });
    return { ack, ran, deliver };
  }

  const usual: Act = ({ ack }) => ack();

  it('is handled by another process if the first one dies', async () => {
    const dying = createReplica(never);
    void dying.deliver('1');
    await expect.poll(() => dying.ran.mock.calls.length).toBe(1);
    const other = createReplica(usual);
    await other.deliver('1');
    expect(other.ran).toHaveBeenCalledTimes(1);
    expect(other.ack).toHaveBeenCalledTimes(1);
  });

  it('is handled once by two processes, and acknowledged by both when it is done', async () => {
    let finish = () => {};
    const working = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const first = createReplica(async ({ ack }) => {
      await working;
      await ack();
    });
    const deliveries = createDeliveries(database());
    let looks = 0;
    const isMarked: typeof deliveries.isMarked = async (key) => {
      looks += 1;
      if (looks < 3) return deliveries.isMarked(key);
      expect(other.ack).not.toHaveBeenCalled();
      finish();
      await began;
      return deliveries.isMarked(key);
    };
    const other = createReplica(usual, { ...deliveries, isMarked });
    const began = first.deliver('2');
    await expect.poll(() => first.ran.mock.calls.length).toBe(1);
    await other.deliver('2');
    expect([first.ran.mock.calls.length, other.ran.mock.calls.length]).toEqual([1, 0]);
    expect(other.ack).toHaveBeenCalledTimes(1);
  });

  it('opens one form: it counts as handled from its acknowledgement on', async () => {
    const opening = createReplica(async ({ ack }) => {
      await ack();
      await never();
    });
    void opening.deliver('3');
    await expect.poll(() => opening.ack.mock.calls.length).toBe(1);
    const other = createReplica(usual);
    await other.deliver('3');
    expect(other.ran).not.toHaveBeenCalled();
    expect(other.ack).toHaveBeenCalledTimes(1);
  });

  it('is handled again if the connection closed before the acknowledgement', async () => {
    const cut = createReplica(usual);
    cut.ack.mockRejectedValue(new AcknowledgementLost('closed'));
    await cut.deliver('4');
    const other = createReplica(usual);
    await other.deliver('4');
    expect(other.ran).toHaveBeenCalledTimes(1);
  });

  it("is done for the person even if that can't be marked", async () => {
    const deliveries = createDeliveries(database());
    const { markFirst } = deliveries;
    const full = async (key: string) => {
      if (key.startsWith('trigger ')) throw new StoreUnavailable('undone');
      return markFirst.call(deliveries, key);
    };
    const { deliver, ack } = createReplica(usual, { ...deliveries, markFirst: full });
    await deliver('5');
    expect(ack).toHaveBeenCalledTimes(1);
  });

  it('fails at its end if the mark fails for another reason, and the process continues', async () => {
    const deliveries = createDeliveries(database());
    const { markFirst } = deliveries;
    const full = async (key: string) => {
      if (key.startsWith('trigger ')) throw new Error('database or disk is full');
      return markFirst.call(deliveries, key);
    };
    const working: Act = async ({ ack }) => {
      await ack();
      // Wait long enough for Node to end the process for an unhandled rejection.
      await new Promise((resolve) => setImmediate(resolve));
    };
    const { deliver, ack } = createReplica(working, { ...deliveries, markFirst: full });
    const unhandled = vi.fn();
    process.once('unhandledRejection', unhandled);
    await expect(deliver('6')).rejects.toThrow('database or disk is full');
    process.off('unhandledRejection', unhandled);
    expect(ack).toHaveBeenCalledTimes(1);
    expect(unhandled).not.toHaveBeenCalled();
  });
});
