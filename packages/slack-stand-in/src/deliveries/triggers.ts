import { randomBytes, randomInt } from 'node:crypto';
import type { OpenedEntity } from '../entities/flexpanes.ts';
import { slackAckWithinMs } from './delivery.ts';

/** Person's action for which a trigger ID is created, and the conversation in which it happened. */
type Doing = {
  userId: string;
  teamId: string;
  currentChannelId?: string | undefined;
  /** Entity that the person opened, or in whose details they clicked. */
  entity?: OpenedEntity;
};
type Trigger = Doing & { atMs: number; isUsed: boolean };

export type TriggerError = 'invalid_trigger_id' | 'expired_trigger_id' | 'exchanged_trigger_id';

const kept = 1000;

/**
 * Creates trigger IDs. Each ID works once, and only until `validMs` have passed. With `keepTriggers`, IDs don't expire.
 */
export function createTriggers({ keepTriggers = false, validMs = slackAckWithinMs } = {}) {
  const triggers = new Map<string, Trigger>();
  return {
    create(doing: Doing): string {
      const id = `${randomInt(1e12)}.${randomInt(1e12)}.${randomBytes(16).toString('hex')}`;
      triggers.set(id, { ...doing, atMs: Date.now(), isUsed: false });
      const oldest = triggers.keys().next().value;
      if (triggers.size > kept && oldest) triggers.delete(oldest);
      return id;
    },
    exchange(id: string | undefined, teamIds: readonly string[]): Trigger | TriggerError {
      const trigger = triggers.get(id ?? '');
      if (!trigger || !teamIds.includes(trigger.teamId)) return 'invalid_trigger_id';
      if (trigger.isUsed) return 'exchanged_trigger_id';
      if (!keepTriggers && Date.now() - trigger.atMs > validMs) return 'expired_trigger_id';
      trigger.isUsed = true;
      return trigger;
    },
  };
}
export type Triggers = ReturnType<typeof createTriggers>;
