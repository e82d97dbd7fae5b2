import type { Automations } from '../../store/automations/automations.ts';
import type { Firings } from '../../store/automations/firings.ts';
import type { Listeners } from '../connection/deliveries/listeners.ts';
import {
  isForTrigger,
  type OwnIds,
  readFiringMessage,
  readFiringReaction,
} from './read-trigger-event.ts';

type TriggerDeps = {
  teamId: string;
  automations: Pick<Automations, 'onMessages' | 'onReaction'>;
  firings: Pick<Firings, 'add'>;
  botUserId(): string;
  botId(): string;
  /** Wakes the worker of firings. */
  wake(): void;
};

/**
 * Registers the messages and reactions that fire automations. Each is stored before Slack gets its acknowledgement. The
 * worker decides later who and what is allowed.
 */
export function registerTriggers(app: Listeners, deps: TriggerDeps): void {
  const { teamId, automations, firings, wake } = deps;
  const own = (): OwnIds => ({ botUserId: deps.botUserId(), botId: deps.botId() });

  app.takeEvents(['message'], async (body) => {
    const found = readFiringMessage(body, own());
    if (!found) return;
    const { channelId, by, message } = found;
    for (const { id: automationId, definition } of await automations.onMessages(
      teamId,
      channelId,
    )) {
      const { trigger } = definition;
      if (trigger.kind !== 'message' || !isForTrigger(trigger, by, message)) continue;
      await add({
        automationId,
        key: `message ${channelId} ${message.ts}`,
        fired: { kind: 'message', channelId, ts: message.ts, by },
      });
    }
  });

  app.takeEvents(['reaction_added'], async (body) => {
    const found = readFiringReaction(body, own());
    if (!found) return;
    const { channelId, ts, by, emoji } = found;
    for (const { id: automationId } of await automations.onReaction(teamId, channelId, emoji)) {
      // One run for message and emoji. Each person is a firing, because the first one may not be allowed to start runs.
      const startKey = `reaction ${channelId} ${ts} ${emoji}`;
      const fired = { kind: 'reaction' as const, channelId, ts, by };
      await add({ automationId, key: `${startKey} ${by}`, startKey, fired });
    }
  });

  async function add(
    firing: Omit<Parameters<Firings['add']>[0], 'teamId' | 'happenedAt'>,
  ): Promise<void> {
    if (await firings.add({ teamId, happenedAt: Date.now(), ...firing })) wake();
  }
}
