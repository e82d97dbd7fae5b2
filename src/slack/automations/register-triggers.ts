import type { Automation } from '../../automations/automation.ts';
import type { Automations } from '../../store/automations/automations.ts';
import type { NewFiring } from '../../store/automations/firing-row.ts';
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
  firings: Pick<Firings, 'addAll'>;
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
    const all = await automations.onMessages(teamId, channelId);
    const fired = all.filter(
      ({ definition: { trigger } }) =>
        trigger.kind === 'message' && isForTrigger(trigger, by, message),
    );
    await add(fired, {
      key: `message ${channelId} ${message.ts}`,
      fired: { kind: 'message', channelId, ts: message.ts, by },
    });
  });

  app.takeEvents(['reaction_added'], async (body) => {
    const found = readFiringReaction(body, own());
    if (!found) return;
    const { channelId, ts, by, emoji } = found;
    // One run for message and emoji. Each person is a firing, because the first one may not be allowed to start runs.
    const startKey = `reaction ${channelId} ${ts} ${emoji}`;
    await add(await automations.onReaction(teamId, channelId, emoji), {
      key: `${startKey} ${by}`,
      startKey,
      fired: { kind: 'reaction', channelId, ts, by },
    });
  });

  /** Stores what fired several automations in one statement, because Slack waits. */
  async function add(
    fired: readonly Automation[],
    firing: Pick<NewFiring, 'key' | 'startKey' | 'fired'>,
  ): Promise<void> {
    const happenedAt = Date.now();
    const all = fired.map(({ id: automationId }) => ({
      automationId,
      teamId,
      happenedAt,
      ...firing,
    }));
    if (await firings.addAll(all)) wake();
  }
}
