import { beforeEach, describe, expect, it } from 'vitest';
import { ownAuthority } from '../../../src/requests/authority.ts';
import type { StartLimits } from '../../../src/store/requests/accept-request.ts';
import type { AuthorizedRequest, NewRequest } from '../../../src/store/requests/request-row.ts';
import { createRequests } from '../../../src/store/requests/requests.ts';
import { aRequest } from '../../support/builders.ts';
import { describeOnDatabase } from '../../support/database/databases.ts';

const hourMs = 3_600_000;
const now = 100 * hourMs;

describeOnDatabase('limits', (database) => {
  let number = 0;
  const request = (changes: Partial<NewRequest> = {}): AuthorizedRequest => {
    number += 1;
    const id = `request-${number}`;
    const asked = { teamId: 'T1', creatorId: 'U1', channelId: 'C1', prompt: 'go', title: 'Go' };
    const authority = ownAuthority(changes.creatorId ?? 'U1');
    return { id, ...asked, config: {}, acceptedAt: now, ...changes, authority };
  };
  const accept = (limits: StartLimits, changes?: Partial<NewRequest>) =>
    createRequests(database()).acceptWithin(limits, request(changes));
  const outcomesOf = async (count: number, limits: StartLimits) => {
    const all = await Promise.all(Array.from({ length: count }, () => accept(limits)));
    return all.map(({ outcome }) => outcome);
  };

  beforeEach(async () => {
    await database().deleteFrom('requests').execute();
  });

  it('hold exactly for simultaneous requests', async () => {
    const today = await outcomesOf(25, { maxRunsPerDay: 7 });
    expect(today.filter((outcome) => outcome === 'accepted')).toHaveLength(7);
    expect(today.filter((outcome) => outcome === 'too_many_today')).toHaveLength(18);
    await database().deleteFrom('requests').execute();
    const live = await outcomesOf(25, { maxActiveRuns: 3 });
    expect(live.filter((outcome) => outcome === 'accepted')).toHaveLength(3);
    expect(live.filter((outcome) => outcome === 'too_many_live')).toHaveLength(22);
  });

  it('of a day are per person, and say when the next run may start', async () => {
    const limits = { maxRunsPerDay: 2 };
    await accept(limits, { acceptedAt: now - 25 * hourMs });
    await accept(limits, { acceptedAt: now - 20 * hourMs });
    // The daily limit counts requests at every step.
    await database().updateTable('requests').set({ step: 'posted' }).execute();
    await accept(limits, { acceptedAt: now - hourMs });
    await accept(limits, { acceptedAt: now - hourMs, teamId: 'T2' });
    expect(await accept(limits)).toEqual({
      outcome: 'too_many_today',
      used: 2,
      freeAt: now + 4 * hourMs,
    });
    expect(await accept(limits, { creatorId: 'U2' })).toEqual({ outcome: 'accepted' });
    expect(await accept(limits, { acceptedAt: now + 4 * hourMs })).toEqual({ outcome: 'accepted' });
  });

  it('of live runs are per workspace, and free up when a run has ended', async () => {
    const limits = { maxActiveRuns: 1 };
    await accept(limits, { id: 'first' });
    const rejected = await accept(limits, { creatorId: 'U2' });
    expect(rejected).toEqual({ outcome: 'too_many_live', used: 1 });
    expect(await accept(limits, { teamId: 'T2' })).toEqual({ outcome: 'accepted' });
    await database()
      .updateTable('requests')
      .set({ step: 'ended' })
      .where('id', '=', 'first')
      .execute();
    expect(await accept(limits)).toEqual({ outcome: 'accepted' });
  });

  it('of an hour are per person', async () => {
    const limits = { maxOwnRunsPerHour: 2 };
    for (const minutes of [100, 40, 20])
      await accept(limits, { acceptedAt: now - (minutes * hourMs) / 60 });
    const freeAt = now + (20 * hourMs) / 60;
    expect(await accept(limits)).toEqual({ outcome: 'too_many_this_hour', used: 2, freeAt });
    expect(await accept(limits, { creatorId: 'U2' })).toEqual({ outcome: 'accepted' });
    expect(await accept(limits, { teamId: 'T2' })).toEqual({ outcome: 'accepted' });
    expect(await accept(limits, { acceptedAt: freeAt })).toEqual({ outcome: 'accepted' });
  });

  it("of one person's active runs free up when one has ended, and hold exactly", async () => {
    const limits = { maxOwnActiveRuns: 2 };
    const all = await outcomesOf(9, limits);
    expect(all.filter((outcome) => outcome === 'accepted')).toHaveLength(2);
    expect(await accept(limits)).toEqual({ outcome: 'too_many_own_live', used: 2 });
    expect(await accept(limits, { creatorId: 'U2' })).toEqual({ outcome: 'accepted' });
    await database()
      .updateTable('requests')
      .set({ step: 'ended' })
      .where('creator_id', '=', 'U1')
      .execute();
    expect(await accept(limits)).toEqual({ outcome: 'accepted' });
  });

  it('of a workflow count its runs, for anyone', async () => {
    const by = (name: string) => ({
      origin: {
        kind: 'workflow' as const,
        workflow: { executionId: 'e', waits: true, name, hasPerson: false },
      },
    });
    const limits = { maxOwnActiveRuns: 1 };
    await accept(limits, { ...by('nightly'), creatorId: 'U1' });
    const again = await accept(limits, { ...by('nightly'), creatorId: 'U2' });
    expect(again).toEqual({ outcome: 'too_many_own_live', used: 1 });
    expect(await accept(limits, by('weekly'))).toEqual({ outcome: 'accepted' });
    expect(await accept(limits)).toEqual({ outcome: 'accepted' });
  });

  it.each([{ maxActiveRuns: 2 }, { maxOwnActiveRuns: 2 }])(
    'of active runs count what is tried again: %o',
    async (limits) => {
      const ids = ['a', 'b', 'c', 'd'];
      for (const id of ids) await accept({}, { id });
      await database().updateTable('requests').set({ step: 'not_started' }).execute();
      const again = (id: string) =>
        createRequests(database()).tryAgainWithin(limits, aRequest({ id }));
      const clicks = await Promise.all([...ids, ...ids].map(again));
      const outcomes = clicks.map(({ outcome }) => outcome);
      expect(outcomes.filter((outcome) => outcome === 'accepted')).toHaveLength(2);
      expect(outcomes.filter((outcome) => outcome === 'repeated')).toHaveLength(2);
      expect(outcomes.filter((outcome) => outcome.startsWith('too_many'))).toHaveLength(4);
    },
  );

  describe('do not reject', () => {
    it.each([
      { maxRunsPerDay: 1 },
      { maxActiveRuns: 1 },
      { maxOwnRunsPerHour: 1 },
      { maxOwnActiveRuns: 1 },
      {},
    ])('repeated deliveries: %o', async (limits) => {
      await accept(limits, { id: 'same' });
      const again = await Promise.all([
        accept(limits, { id: 'same' }),
        accept(limits, { id: 'same' }),
      ]);
      expect(again).toEqual([{ outcome: 'repeated' }, { outcome: 'repeated' }]);
    });
  });
});
