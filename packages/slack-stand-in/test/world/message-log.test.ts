import { describe, expect, it } from 'vitest';
import type { AppEvents } from '../../src/deliveries/app-events.ts';
import { createChanges } from '../../src/lib/changes.ts';
import { createClock } from '../../src/lib/ids.ts';
import { MessageLog } from '../../src/world/message-log.ts';
import { seedWorld } from '../../src/world/seed.ts';

describe('the message log', () => {
  it('deletes no other message when one is deleted twice', () => {
    const world = seedWorld('slash-agent');
    const events = { message: async () => ({ acked: true }) } as unknown as AppEvents;
    const [changes, clock] = [createChanges(), createClock()];
    const log = new MessageLog({ world, changes, clock, events, unfurlDomains: [] });
    const [channelId, userId] = ['C04GENERAL1', 'U04ADALOVEL'];
    const { message } = log.post({ channelId, userId, text: 'twice' });
    const { message: other } = log.post({ channelId, userId, text: 'another' });
    void log.remove(message);
    void log.remove(message);
    expect(world.messages[channelId]).toEqual([other]);
  });
});
