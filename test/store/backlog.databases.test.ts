import { createServiceBacklog } from 'runs-service/store/service-backlog';
import { beforeEach, expect, it } from 'vitest';
import { createBacklog } from '../../src/store/backlog.ts';
import { createOutbox } from '../../src/store/outbox/outbox.ts';
import { createStore } from '../../src/store/store.ts';
import { describeOnWholeDatabase } from '../support/database/whole-database.ts';

describeOnWholeDatabase('the backlog', (database) => {
  beforeEach(async () => {
    for (const table of ['outbox', 'inbox', 'workspaces', 'connections'] as const)
      await database().deleteFrom(table).execute();
  });

  it('counts what is under way, with the time of the oldest, and nothing that is done', async () => {
    const outbox = createOutbox(database());
    const post = { kind: 'upload', teamId: 'T1', requestId: null, content: {}, dueAt: 1 };
    await outbox.plan(['one', 'two', 'done'].map((id) => ({ ...post, id })));
    await database()
      .updateTable('outbox')
      .set({ state: 'done', due_at: null })
      .where('id', '=', 'done')
      .execute();
    await database()
      .insertInto('workspaces')
      .values([
        { team_id: 'T1', is_active: 1 },
        { team_id: 'T2', is_active: 0 },
      ])
      .execute();
    // This post doesn't count, because the workspace removed the app.
    await outbox.plan([{ ...post, id: 'removed', teamId: 'T2' }]);
    const backlog = createBacklog(database());
    const [uploads, ...others] = await backlog.outbox();
    expect(uploads).toMatchObject({ name: 'upload', count: 2 });
    expect(Date.now() - (uploads?.oldestAt ?? 0)).toBeGreaterThanOrEqual(0);
    expect(others).toEqual([]);
    expect(await backlog.inbox()).toEqual([]);
    expect(await backlog.requests()).toEqual([]);
    expect(await backlog.runs()).toEqual([]);
    expect(await createServiceBacklog(database()).runs()).toEqual([]);
    expect(await backlog.sweepFailures()).toEqual({ default: 0, added: 0, own: 0 });
  });

  it('can be that of one workspace', async () => {
    const { outbox, inbox } = createStore(database());
    const ofTeam = { teamId: 'T3', kind: 'upload', content: {} };
    await outbox.plan([{ ...ofTeam, id: 'of T3', requestId: null, dueAt: 1 }]);
    await inbox.add({ ...ofTeam, id: 'of T3' });
    const workspaces = [{ team_id: 'T3', is_active: 1 }];
    await database().insertInto('workspaces').values(workspaces).execute();
    const { oldest } = createBacklog(database());
    const known = { postAt: expect.any(Number), itemAt: expect.any(Number) };
    expect([await oldest(), await oldest('T3')]).toEqual([known, known]);
    expect(await oldest('T4')).toEqual({ postAt: undefined, itemAt: undefined });
  });

  it("tells failures of the operator's connection from those of others", async () => {
    const row = { mode: 'changes', due_at: 1 } as const;
    const failing = { default: 1, s1: 2, s2: 3, 's1/T1/U1': 4, 'default/T1/U1': 5 };
    await database()
      .insertInto('connections')
      .values(Object.entries(failing).map(([id, failures]) => ({ ...row, id, failures })))
      .execute();
    const found = await createBacklog(database()).sweepFailures();
    expect(found).toEqual({ default: 1, added: 3, own: 5 });
  });
});
