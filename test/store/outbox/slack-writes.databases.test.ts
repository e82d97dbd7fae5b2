import { beforeEach, expect, it } from 'vitest';
import { createSlackWrites } from '../../../src/store/outbox/slack-writes.ts';
import { describeOnDatabase } from '../../support/database/databases.ts';

const minuteMs = 60_000;

describeOnDatabase('the store of what was written to Slack', (database) => {
  beforeEach(() => database().deleteFrom('slack_writes').execute());

  it('counts the writes of all replicas, for each limit of each workspace', async () => {
    const replicas = [createSlackWrites(database()), createSlackWrites(database())];
    const spends = replicas.flatMap(({ spend }) => [
      spend('T1', 'update', minuteMs),
      spend('T1', 'update', minuteMs),
    ]);
    expect(Math.max(...(await Promise.all(spends)))).toBeGreaterThan(3.9 * minuteMs);
    const { spend } = createSlackWrites(database());
    expect(await spend('T1', 'update', -minuteMs)).toBeLessThanOrEqual(3 * minuteMs);
    expect(await spend('T1', 'session', minuteMs)).toBeLessThanOrEqual(minuteMs);
    expect(await spend('T2', 'update', minuteMs)).toBeLessThanOrEqual(minuteMs);
  });

  it('saves nothing up: a limit that was not used for a long time is whole, and no more', async () => {
    const { spend } = createSlackWrites(database());
    await spend('T1', 'update', 0);
    await database().updateTable('slack_writes').set({ whole_at: 5 }).execute();
    expect(await spend('T1', 'update', minuteMs)).toBeGreaterThan(minuteMs - 1_000);
  });
});
