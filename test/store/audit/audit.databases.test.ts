import { expect, it } from 'vitest';
import { verifyChain } from '../../../src/audit/verify-chain.ts';
import { createAudit } from '../../../src/store/audit/audit.ts';
import type { NewAuditEntry } from '../../../src/store/audit/audit-entry.ts';
import type { Db } from '../../../src/store/schema.ts';
import { createStore } from '../../../src/store/store.ts';
import { aRequest } from '../../support/builders.ts';
import { describeOnDatabase } from '../../support/database/databases.ts';

const entry: NewAuditEntry = {
  teamId: 'T1',
  actorId: 'U1',
  action: 'session_link_revoke_requested',
  entity: { type: 'run', id: 'r' },
};
const sealAll = async (db: Db) => {
  const audit = createAudit(db);
  while ((await audit.seal()) > 0);
  return audit;
};
const actions = async (db: Db, teamId: string) =>
  (await (await sealAll(db)).list({ teamId }, 100)).map(
    ({ action, actorId, entity }) => `${actorId} ${action} ${entity.id}`,
  );

describeOnDatabase('the audit log', (database) => {
  it('notes what is written on requests, in the same transaction and once', async () => {
    const { requests } = createStore(database());
    const request = aRequest({ teamId: 'T2', id: 'T2-1', creatorId: 'U1', step: 'posted' });
    await requests.accept(request);
    await requests.accept(request);
    expect(await requests.askCancel('T2-1', 'U2', 5)).toBe(true);
    expect(await requests.askCancel('T2-1', 'U3', 6)).toBe(false);
    const ended = { step: 'ended', run_id: 'run-1' };
    await database().updateTable('requests').set(ended).where('id', '=', 'T2-1').execute();
    const wanted = { action: 'merge' } as const;
    expect(await requests.askPublish('T2-1', 'U4', wanted, 7)).toBe(true);
    expect((await actions(database(), 'T2')).toSorted()).toEqual([
      'U1 run_started T2-1',
      'U2 run_cancel_requested T2-1',
      'U4 changes_merge_requested T2-1',
    ]);
  });

  it('notes settings that a person changes, without their values', async () => {
    const { settings, audit } = createStore(database());
    const owner = { teamId: 'T3', scope: 'channel', scopeId: 'C1' } as const;
    await settings.write(owner, 'key', { secret: 'x' }, 'U1');
    await settings.write(owner, 'key', { secret: 'x' }, 'U2');
    await settings.write(owner, 'own', 1);
    await settings.remove(owner, 'key', 'U3');
    await settings.remove(owner, 'key', 'U4');
    expect((await actions(database(), 'T3')).toSorted()).toEqual([
      'U1 setting_changed channel/C1/key',
      'U3 setting_removed channel/C1/key',
    ]);
    expect(JSON.stringify(await audit.list({ teamId: 'T3' }, 10))).not.toContain('secret');
  });

  it('is filtered by person and by a part of the action, newest first', async () => {
    const audit = createAudit(database());
    for (const [actorId, action] of [
      ['U1', 'run_started'],
      ['U2', 'run_started'],
      ['U1', 'access_refused'],
    ])
      await audit.note({ ...entry, teamId: 'T4', actorId: actorId ?? '', action: action ?? '' });
    await sealAll(database());
    const listed = async (filter: object) =>
      (await audit.list({ teamId: 'T4', ...filter }, 10)).length;
    expect(await listed({})).toBe(3);
    expect(await listed({ actorId: 'U1' })).toBe(2);
    expect(await listed({ action: 'start' })).toBe(2);
    expect(await listed({ actorId: 'U1', action: 'refused' })).toBe(1);
    expect(await listed({ action: '%' })).toBe(3);
    expect(await audit.list({ teamId: 'T4' }, 2)).toHaveLength(2);
  });

  it('notes an entry with a known id once', async () => {
    const audit = createAudit(database());
    await audit.note({ ...entry, teamId: 'T5', id: 'one' });
    await audit.note({ ...entry, teamId: 'T5', id: 'one' });
    expect(await actions(database(), 'T5')).toHaveLength(1);
  });

  it('is one chain, also if several processes add to it', async () => {
    const audit = createAudit(database());
    const replicas = Array.from({ length: 3 }, () => createAudit(database()));
    await Promise.all(Array.from({ length: 40 }, () => audit.note({ ...entry, teamId: 'T6' })));
    await Promise.allSettled(replicas.map((each) => each.seal()));
    await sealAll(database());
    expect(await audit.countUnsealed()).toBe(0);
    const state = await verifyChain(audit);
    const head = expect.stringMatching(/^\w{64}$/);
    expect(state).toEqual({ entries: expect.any(Number), head, from: 1 });
  });

  it('begins later when old entries are deleted, but never those that the webhook needs', async () => {
    const db = database();
    await db.deleteFrom('audit_entries').execute();
    const audit = createAudit(db);
    for (let count = 0; count < 6; count += 1) await audit.note(entry);
    await sealAll(db);
    const before = await verifyChain(audit);
    const setTime = (through: number) =>
      db
        .updateTable('audit_entries')
        .set({ created_at: 1_000 })
        .where('position', '<=', through)
        .execute();
    // Verifying would fail: the time is part of what is chained.
    await setTime(3);
    await audit.markSent(2);
    expect(await audit.removeBefore(2_000, { onlySent: true })).toBe(2);
    expect(await audit.removeBefore(2_000, { onlySent: false })).toBe(1);
    expect(await verifyChain(audit)).toEqual({ ...before, from: 4 });
    await setTime(6);
    expect(await audit.removeBefore(2_000, { onlySent: false })).toBe(2);
    expect(await verifyChain(audit)).toMatchObject({ entries: 6, from: 6 });
    await audit.note(entry);
    await sealAll(db);
    expect(await audit.list({ teamId: entry.teamId }, 1)).toMatchObject([{ position: 7 }]);
    await db.deleteFrom('audit_entries').execute();
  });

  it.each<[string, (db: Db, at: number) => Promise<unknown>]>([
    [
      'a changed actor',
      (db, at) =>
        db
          .updateTable('audit_entries')
          .set({ actor_id: 'U9' })
          .where('position', '=', at)
          .execute(),
    ],
    [
      'a changed hash',
      (db, at) =>
        db.updateTable('audit_entries').set({ hash: 'x' }).where('position', '=', at).execute(),
    ],
    [
      'a deleted entry',
      (db, at) => db.deleteFrom('audit_entries').where('position', '=', at).execute(),
    ],
  ])('shows %s', async (_, tamper) => {
    const db = database();
    await db.deleteFrom('audit_entries').execute();
    const audit = createAudit(db);
    for (let count = 0; count < 5; count += 1) await audit.note(entry);
    await sealAll(db);
    expect(await verifyChain(audit)).toMatchObject({ entries: 5 });
    await tamper(db, 3);
    expect(await verifyChain(audit)).toEqual({ brokenAt: 3, problem: expect.any(String) });
    await db.deleteFrom('audit_entries').execute();
  });
});
