import { beforeEach, describe, expect, it } from 'vitest';
import { createConnectionChanges } from '../../../src/store/connection-changes.ts';
import {
  type Connection,
  type ConnectionChanges,
  createConnections,
} from '../../../src/store/following/connections.ts';
import { describeOnDatabase } from '../../support/database/databases.ts';

const minuteMs = 60_000;
const failed = { failures: 1, problem: { code: 'rate_limited', message: '', since: 1 } };

describeOnDatabase('when a connection is swept', (database) => {
  const connections = () => createConnections(database());
  const claim = async () => {
    const [connection] = await connections().claim('test', minuteMs, 1);
    if (!connection) throw new Error('the connection is not due');
    return connection;
  };
  async function release(lease: Connection, changes: ConnectionChanges, inMs: number | null) {
    const dueAt = inMs === null ? null : Date.now() + inMs;
    await connections().release([{ lease, changes, dueAt }]);
  }
  beforeEach(async () => {
    await database().deleteFrom('connections').execute();
    await connections().wake('default', 0);
  });

  it('is as early as anyone wants', async () => {
    await release(await claim(), {}, 10 * minuteMs);
    await connections().wake('default', minuteMs);
    expect(await connections().nextDueInMs()).toBeLessThanOrEqual(minuteMs);
    await connections().wake('default', 5 * minuteMs);
    expect(await connections().nextDueInMs()).toBeLessThanOrEqual(minuteMs);
  });

  it('is as early as someone wanted during a sweep', async () => {
    const connection = await claim();
    await connections().wake('default', minuteMs);
    await release(connection, {}, 10 * minuteMs);
    expect(await connections().nextDueInMs()).toBeLessThanOrEqual(minuteMs);
  });

  it('is never if its key was deleted with its person', async () => {
    await connections().wake('default/T1/U1', 0);
    expect(await connections().find('default/T1/U1')).toBeUndefined();
  });

  it('is also decided for a key of a person', async () => {
    await createConnectionChanges(database()).connect({ teamId: 'T1', userId: 'U1' }, 'default', {
      baseUrl: 'https://runs.example/api/v1',
      apiKey: 'key',
    });
    for (const one of await connections().claim('test', minuteMs, 2))
      await release(one, {}, 10 * minuteMs);
    await connections().wake('default/T1/U1', minuteMs);
    expect(await connections().nextDueInMs()).toBeLessThanOrEqual(minuteMs);
  });

  describe('after a failure', () => {
    it('is when the service asked, even if someone wants it sooner', async () => {
      const connection = await claim();
      await connections().wake('default', 0);
      await release(connection, failed, 10 * minuteMs);
      await connections().wake('default', 0);
      expect(await connections().nextDueInMs()).toBeGreaterThan(9 * minuteMs);
    });

    it('is as early as anyone wants if no run was followed meanwhile', async () => {
      await release(await claim(), failed, 0);
      await release(await claim(), {}, null);
      expect(await connections().nextDueInMs()).toBeUndefined();
      await connections().wake('default', minuteMs);
      expect(await connections().nextDueInMs()).toBeLessThanOrEqual(minuteMs);
    });
  });
});
