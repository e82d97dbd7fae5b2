import { beforeEach, expect, it } from 'vitest';
import type { Pause } from '../../../src/automations/automation.ts';
import { automationNoticeSchema } from '../../../src/automations/notice.ts';
import { createAudit } from '../../../src/store/audit/audit.ts';
import { createAutomations } from '../../../src/store/automations/automations.ts';
import { createFirings } from '../../../src/store/automations/firings.ts';
import { createOutboxLeases } from '../../../src/store/outbox/outbox-leases.ts';
import { createRequests } from '../../../src/store/requests/requests.ts';
import { aDefinition, anAutomation, firedOrigin } from '../../support/automations.ts';
import { aRequest } from '../../support/builders.ts';
import { describeOnDatabase } from '../../support/database/databases.ts';
import { makePublic } from '../../support/database/many-requests.ts';

const viewer = { teamId: 'T1', userId: 'U9' };
const hook = aDefinition({ trigger: { kind: 'webhook', sender: 'github', filter: [] } });
const eyes = aDefinition({ trigger: { kind: 'reaction', emoji: 'eyes' } });
const byPerson: Pause = { code: 'person', sentence: 'Paused by <@U2>.', by: 'U2', at: 5 };
const byApp: Pause = { code: 'failures', sentence: 'Five starts failed.', by: 'system', at: 6 };

describeOnDatabase('the store of automations', (database) => {
  const automations = () => createAutomations(database());
  const history = (of: object = {}) =>
    createFirings(database()).history(viewer, 'a1', { limit: 10, ...of });
  const audited = async () =>
    (await createAudit(database()).list({ teamId: 'T1' }, 20)).map(
      ({ action, actorId, channelId, details }) =>
        `${action} ${actorId} ${channelId} ${details.name}`,
    );
  beforeEach(async () => {
    for (const table of ['automations', 'automation_firings', 'audit_entries', 'outbox'] as const)
      await database().deleteFrom(table).execute();
  });

  it('creates one of each name in a channel, and the same click once', async () => {
    expect(await automations().create(anAutomation(), 'U1')).toBe('created');
    expect(await automations().create(anAutomation(), 'U1')).toBe('created');
    expect(await automations().create(anAutomation({ id: 'a2' }), 'U2')).toBe('name taken');
    const elsewhere = anAutomation({ id: 'a3', channelId: 'C2' });
    expect(await automations().create(elsewhere, 'U2')).toBe('created');
    expect(await automations().find('T1', 'a1')).toEqual({
      ...anAutomation(),
      pause: null,
      failedStarts: 0,
      changedAt: 1_000,
      changedBy: 'U1',
      revision: 0,
    });
    expect(await automations().find('T2', 'a1')).toBeUndefined();
    expect(await audited()).toEqual([
      'automation_created U2 C2 Nightly check',
      'automation_created U1 C1 Nightly check',
    ]);
  });

  it('lets one of two simultaneous clicks use a name', async () => {
    const [one, other] = [anAutomation({ id: 'a1' }), anAutomation({ id: 'a2' })];
    const results = [automations().create(one, 'U1'), automations().create(other, 'U1')];
    expect((await Promise.all(results)).toSorted()).toEqual(['created', 'name taken']);
  });

  it('keeps at most a hundred in a channel, also if they are moved there', async () => {
    for (let number = 1; number <= 100; number += 1)
      await automations().create(anAutomation({ id: `a${number}`, name: `Check ${number}` }), 'U1');
    const one = anAutomation({ id: 'more', name: 'One more' });
    expect(await automations().create(one, 'U1')).toBe('channel full');
    expect(await automations().create({ ...one, channelId: 'C2' }, 'U1')).toBe('created');
    const next = { name: 'Moved', definition: eyes, nextAt: null };
    expect(await automations().change('more', 0, { ...next, channelId: 'C1' }, 'U1')).toBe(
      'channel full',
    );
    expect(await automations().change('a1', 0, { ...next, channelId: 'C1' }, 'U1')).toBe('changed');
    expect(await automations().change('a1', 1, { ...next, channelId: 'C2' }, 'U1')).toBe('changed');
    expect(await automations().create({ ...one, id: 'fits' }, 'U1')).toBe('created');
  });

  it('stores what fires several at once, and says if all of it is a repeat', async () => {
    const firings = createFirings(database());
    const fired = { kind: 'reaction', channelId: 'C1', ts: '1.0', by: 'U2' } as const;
    const of = (automationId: string) =>
      ({ automationId, teamId: 'T1', key: 'reaction 1.0', happenedAt: 1, fired }) as const;
    expect(await firings.addAll([of('a1'), of('a2')])).toBe(true);
    expect(await firings.addAll([of('a1'), of('a2')])).toBe(false);
    expect(await firings.addAll([of('a2'), of('a3')])).toBe(true);
    expect(await firings.addAll([])).toBe(false);
    expect(
      await database().selectFrom('automation_firings').select('id').orderBy('id').execute(),
    ).toEqual(['a1', 'a2', 'a3'].map((id) => ({ id: `${id} reaction 1.0` })));
  });

  it('rejects a change of an older revision, and a taken name', async () => {
    await automations().create(anAutomation({ nextAt: 9_000 }), 'U1');
    await automations().create(anAutomation({ id: 'a2', name: 'Other' }), 'U1');
    const next = { name: 'Daily', channelId: 'C1', definition: eyes, nextAt: null };
    expect(await automations().change('a1', 0, { ...next, name: 'Other' }, 'U1')).toBe(
      'name taken',
    );
    expect(await automations().change('a1', 0, next, 'U1')).toBe('changed');
    expect(await automations().change('a1', 0, next, 'U1')).toBe('outdated');
    expect(await automations().change('gone', 0, next, 'U1')).toBe('outdated');
    expect(await automations().find('T1', 'a1')).toMatchObject({
      name: 'Daily',
      nextAt: null,
      revision: 1,
    });
    expect(await automations().onReaction('T1', 'C1', 'eyes')).toMatchObject([{ id: 'a1' }]);
    expect(await automations().onReaction('T1', 'C1', 'tada')).toEqual([]);
    expect(await automations().onMessages('T1', 'C1')).toEqual([]);
  });

  it('turns an automation on again when someone takes it over', async () => {
    await automations().create(anAutomation({ nextAt: 9_000 }), 'U1');
    await automations().pause('a1', byApp);
    const next = { name: 'Daily', channelId: 'C1', definition: aDefinition(), nextAt: 10_000 };
    expect(await automations().change('a1', 0, next, 'U1')).toBe('changed');
    expect(await automations().find('T1', 'a1')).toMatchObject({ pause: byApp, nextAt: null });
    expect(await automations().change('a1', 1, { ...next, ownerId: 'U2' }, 'U2')).toBe('changed');
    expect(await automations().find('T1', 'a1')).toMatchObject({
      ownerId: 'U2',
      pause: null,
      nextAt: 10_000,
    });
    expect((await audited())[0]).toBe('automation_taken_over U2 C1 Daily');
  });

  it('plans notices of a pause once, and none if a person paused it', async () => {
    await automations().create(anAutomation({ nextAt: 9_000 }), 'U1');
    expect(await automations().pause('a1', byPerson)).toBe(true);
    expect(await automations().pause('a1', byApp)).toBe(false);
    expect(await database().selectFrom('outbox').select('id').execute()).toEqual([]);
    expect(await automations().resume('a1', 12_000, 'U1')).toBe(true);
    expect(await automations().resume('a1', 12_000, 'U1')).toBe(false);
    expect(await automations().find('T1', 'a1')).toMatchObject({ pause: null, nextAt: 12_000 });
    const both = [automations().pause('a1', byApp), automations().pause('a1', byApp)];
    expect((await Promise.all(both)).toSorted()).toEqual([false, true]);
    const posts = await createOutboxLeases(database()).claim('me', 1_000, 10);
    const notices = posts.map(({ content }) => automationNoticeSchema.parse(content));
    expect(new Set(notices.map(({ userId }) => userId))).toEqual(new Set(['U1', null]));
    expect(notices[0]).toMatchObject({ ownerId: 'U1', channelId: 'C1', sentence: byApp.sentence });
    expect((await audited()).slice(0, 3)).toEqual([
      'automation_paused system C1 Nightly check',
      'automation_resumed U1 C1 Nightly check',
      'automation_paused U2 C1 Nightly check',
    ]);
  });

  it('accepts the earlier secret of a webhook for a day', async () => {
    await automations().create(anAutomation({ definition: hook }), 'U1', 'whsec_one');
    expect(await automations().findHook('a1')).toMatchObject({ secrets: ['whsec_one'] });
    expect(await automations().replaceSecret('a1', 'whsec_two', 'U1')).toBe(true);
    expect(await automations().findHook('a1')).toMatchObject({
      automation: { id: 'a1' },
      secrets: ['whsec_two', 'whsec_one'],
    });
    await database().updateTable('automations').set({ previous_secret_until: 1 }).execute();
    expect(await automations().findHook('a1')).toMatchObject({ secrets: ['whsec_two'] });
    const next = { name: 'Daily', channelId: 'C1', definition: aDefinition(), nextAt: null };
    await automations().change('a1', 0, next, 'U1');
    expect(await automations().findHook('a1')).toBeUndefined();
    expect(await automations().replaceSecret('a1', 'whsec_3', 'U1')).toBe(false);
  });

  it('accepts no earlier secret of a webhook after someone took it over', async () => {
    await automations().create(anAutomation({ definition: hook }), 'U1', 'whsec_one');
    await automations().replaceSecret('a1', 'whsec_two', 'U1');
    const next = { name: 'Daily', channelId: 'C1', definition: hook, nextAt: null };
    const taken = { ...next, ownerId: 'U2', secret: 'whsec_3' };
    expect(await automations().change('a1', 0, taken, 'U2')).toBe('changed');
    expect(await automations().findHook('a1')).toMatchObject({ secrets: ['whsec_3'] });
    expect(await automations().change('a1', 1, { ...next, ownerId: 'U3' }, 'U3')).toBe('changed');
    expect(await automations().findHook('a1')).toMatchObject({ secrets: [] });
  });

  it('shows the automations of conversations that the viewer can see, and their own', async () => {
    await makePublic(database(), 'C1');
    await automations().create(anAutomation({ name: 'B' }), 'U1');
    await automations().create(anAutomation({ id: 'a2', name: 'A' }), 'U1');
    await automations().create(anAutomation({ id: 'a3', channelId: 'C0', name: 'Secret' }), 'U1');
    await automations().create(
      anAutomation({ id: 'a4', ownerId: 'U9', channelId: 'C0', name: 'Own' }),
      'U9',
    );
    const names = async (of: object) =>
      (await automations().visible(viewer, { limit: 10, ...of })).map(({ name }) => name);
    expect(await names({})).toEqual(['Own', 'A', 'B']);
    expect(await names({ after: { channelId: 'C1', name: 'A' } })).toEqual(['B']);
    expect(await names({ channelId: 'C1', limit: 1 })).toEqual(['A']);
    expect(await names({ ownerId: 'U9' })).toEqual(['Own']);
    expect((await automations().allOf('T1')).map(({ name }) => name)).toEqual([
      'Own',
      'Secret',
      'A',
      'B',
    ]);
    expect(await automations().allOf('T2')).toEqual([]);
  });

  it('shows the last outcome and the cost, but no run of a conversation that the viewer cannot see', async () => {
    await makePublic(database(), 'C1');
    const origin = await firedOrigin(database());
    const requests = createRequests(database());
    const { requestId = '' } = (await history())[0]?.firing ?? {};
    const run = { teamId: 'T1', origin, acceptedAt: Date.now() };
    for (const id of [requestId ?? '', 'r2']) await requests.accept(aRequest({ ...run, id }));
    await database().updateTable('requests').set({ cost_micros: 1_500 }).execute();
    // The run was in another channel before.
    const moved = database().updateTable('requests').set({ channel_id: 'C7' });
    await moved.where('id', '=', requestId ?? '').execute();
    await database().updateTable('automation_firings').set({ state: 'started' }).execute();
    const filtered = { automationId: 'a1', teamId: 'T1', key: 'new', happenedAt: 2 };
    await createFirings(database()).add({ ...filtered, fired: { kind: 'schedule' } });
    await database()
      .updateTable('automation_firings')
      .set({ state: 'unmatched' })
      .where('id', '=', 'a1 new')
      .execute();
    const listed = async () => (await automations().visible(viewer, { id: 'a1', limit: 1 }))[0];
    expect(await listed()).toMatchObject({
      last: { firing: { id: 'a1 now', state: 'started' }, request: null },
      spentMicros: 3_000,
    });
    await makePublic(database(), 'C7');
    expect(await listed()).toMatchObject({ last: { request: { id: requestId } } });
    expect((await history()).map(({ request }) => request?.id)).toEqual([undefined, requestId]);
    const before = { happenedAt: 2, id: 'a1 new' };
    expect(await history({ before })).toMatchObject([{ firing: { id: 'a1 now' } }]);
  });

  it('shows the people of a new channel nothing that fired it in the earlier one', async () => {
    await automations().create(anAutomation(), 'U1');
    const { name, definition, nextAt } = anAutomation();
    const happenedAt = Date.now() - 1;
    const firing = {
      automationId: 'a1',
      teamId: 'T1',
      happenedAt,
      fired: { kind: 'schedule' } as const,
    };
    await createFirings(database()).add({ ...firing, key: 'old' });
    expect(await history()).toHaveLength(1);
    const moved = { name, definition, nextAt, channelId: 'C2' };
    expect(await automations().change('a1', 0, moved, 'U1')).toBe('changed');
    await makePublic(database(), 'C2');
    expect(await history()).toEqual([]);
    expect(await automations().visible(viewer, { limit: 1 })).toMatchObject([{ last: null }]);
    await createFirings(database()).add({ ...firing, key: 'new', happenedAt: Date.now() + 1 });
    expect(await history()).toMatchObject([{ firing: { id: 'a1 new' } }]);
  });

  it('deletes an automation with its history', async () => {
    const fired = { kind: 'schedule' } as const;
    await automations().create(anAutomation(), 'U1');
    const firing = { automationId: 'a1', teamId: 'T1', key: 'at 1', happenedAt: 1, fired };
    expect(await createFirings(database()).add(firing)).toBe(true);
    expect(await createFirings(database()).add(firing)).toBe(false);
    expect(await automations().remove('a1', 'U1')).toBe(true);
    expect(await automations().remove('a1', 'U1')).toBe(false);
    expect(await createFirings(database()).history(viewer, 'a1', { limit: 5 })).toEqual([]);
    expect((await audited())[0]).toBe('automation_deleted U1 C1 Nightly check');
  });
});
