import { expect, it } from 'vitest';
import { createAudit } from '../../../src/store/audit/audit.ts';
import type { NewAuditEntry } from '../../../src/store/audit/audit-entry.ts';
import type { Db } from '../../../src/store/schema.ts';
import { createStore } from '../../../src/store/store.ts';
import { firedOrigin } from '../../support/automations.ts';
import { aRequest } from '../../support/builders.ts';
import { describeOnDatabase } from '../../support/database/databases.ts';

const entry: NewAuditEntry = {
  teamId: 'T1',
  actorId: 'U1',
  action: 'session_link_revoke_requested',
  entity: { type: 'run', id: 'r' },
};
const actions = async (db: Db, teamId: string) =>
  (await createAudit(db).list({ teamId }, 100)).map(
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

  it('names the automation that started a run', async () => {
    const { requests, audit } = createStore(database());
    const origin = await firedOrigin(database(), { teamId: 'T6', name: `Ada's "check"` });
    await requests.accept(aRequest({ teamId: 'T6', id: 'T6-1', step: 'posted', origin }));
    const details = { automation: `Ada's "check"`, automationId: 'a1' };
    expect(await audit.list({ teamId: 'T6' }, 1)).toMatchObject([{ details }]);
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
      ['U1', 'access_rejected'],
    ])
      await audit.note({ ...entry, teamId: 'T4', actorId: actorId ?? '', action: action ?? '' });
    const listed = async (filter: object) =>
      (await audit.list({ teamId: 'T4', ...filter }, 10)).length;
    expect(await listed({})).toBe(3);
    expect(await listed({ actorId: 'U1' })).toBe(2);
    expect(await listed({ action: 'start' })).toBe(2);
    expect(await listed({ actorId: 'U1', action: 'rejected' })).toBe(1);
    expect(await listed({ action: '%' })).toBe(3);
    expect(await audit.list({ teamId: 'T4' }, 2)).toHaveLength(2);
  });

  it('notes an entry with a known id once', async () => {
    const audit = createAudit(database());
    await audit.note({ ...entry, teamId: 'T5', id: 'one' });
    await audit.note({ ...entry, teamId: 'T5', id: 'one' });
    expect(await actions(database(), 'T5')).toHaveLength(1);
  });

  it('loses old entries, but none that the webhook needs', async () => {
    const db = database();
    await db.deleteFrom('audit_entries').execute();
    const audit = createAudit(db);
    for (let count = 0; count < 6; count += 1) await audit.note(entry);
    const [first, second, third] = await audit.after(0, 6);
    const makeOld = (through = 0) =>
      db
        .updateTable('audit_entries')
        .set({ created_at: 1_000 })
        .where('position', '<=', through)
        .execute();
    await makeOld(third?.position);
    await audit.markSent([first?.id ?? '', second?.id ?? '']);
    expect(await audit.removeBefore(2_000, { onlySent: true })).toBe(2);
    expect(await audit.removeBefore(2_000, { onlySent: false })).toBe(1);
    await makeOld(Number.MAX_SAFE_INTEGER);
    expect(await audit.removeBefore(2_000, { onlySent: true })).toBe(0);
    expect(await audit.removeBefore(2_000, { onlySent: false })).toBe(3);
  });

  it('gives the webhook each entry once, also one whose transaction ends late', async () => {
    const db = database();
    await db.deleteFrom('audit_entries').execute();
    const audit = createAudit(db);
    for (let count = 0; count < 3; count += 1) await audit.note(entry);
    const [first, late, last] = await audit.unsent(3);
    await audit.markSent([first?.id ?? '', last?.id ?? '']);
    expect(await audit.unsent(3)).toEqual([late]);
  });
});
