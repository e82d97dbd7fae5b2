import type { Leases } from 'base/leased-work';
import { sql } from 'kysely';
import { beforeEach, expect, it } from 'vitest';
import { createStore } from '../../src/store/store.ts';
import { acceptDue } from '../support/database/accept-due.ts';
import { describeOnDatabase } from '../support/database/databases.ts';

type Claim = Pick<Leases<{ id: string; version: number }, never>, 'claim'>;

describeOnDatabase("a row that can't be read keeps no other from being worked on", (database) => {
  const store = () => createStore(database());
  const ids = ['r1', 'r2', 'r3'];

  beforeEach(async () => {
    for (const table of ['requests', 'outbox', 'inbox', 'connections'] as const)
      await database().deleteFrom(table).execute();
    const asked = { teamId: 'T1', creatorId: 'U1', channelId: 'C1', prompt: 'p', title: 't' };
    for (const id of ids) {
      await acceptDue(database(), { id, ...asked, config: {}, acceptedAt: 1 });
      await store().inbox.add({ id, kind: 'mention', teamId: 'T1', content: {} });
      await database()
        .insertInto('connections')
        .values({ id, mode: 'changes', due_at: 1 })
        .execute();
    }
  });

  async function claimAll(leases: Claim) {
    const left: string[] = [];
    const rows = await leases.claim('me', 60_000, 10, ({ id }) => void left.push(id));
    return { read: rows.map(({ id }) => id).toSorted(), left };
  }

  it.each<[string, ReturnType<typeof sql>, () => Claim]>([
    [
      'a request with JSON of another version',
      sql`update requests set problem_json = '{"cause": 1}' where id = 'r2'`,
      () => store().following.leases,
    ],
    [
      'a request with a damaged secret',
      sql`update requests set config_json = 'enc1.damaged' where id = 'r2'`,
      () => store().following.leases,
    ],
    [
      'a post with a secret of another row',
      sql`update outbox set content_json = (select o.content_json from outbox o where o.id = 'r1') where id = 'r2'`,
      () => store().posting.leases,
    ],
    [
      'a post of a damaged request',
      sql`update requests set problem_json = '{' where id = 'r2'`,
      () => store().posting.leases,
    ],
    [
      'an item of the inbox',
      sql`update inbox set content_json = 'enc1.damaged' where id = 'r2'`,
      () => store().inbox.leasesOf('mention'),
    ],
    [
      'a connection',
      sql`update connections set problem_json = '[]' where id = 'r2'`,
      () => store().following.connections,
    ],
  ])('%s', async (_, damage, leases) => {
    await damage.execute(database());
    expect(await claimAll(leases())).toEqual({ read: ['r1', 'r3'], left: ['r2'] });
  });
});
