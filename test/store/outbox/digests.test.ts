import { beforeEach, expect, it } from 'vitest';
import { createDigests } from '../../../src/store/outbox/digests.ts';
import { describeOnEveryDatabase } from '../../support/databases.ts';

const place = { teamId: 'T1', channelId: 'C1' };
const nine = { hour: 9, timeZone: 'Europe/Berlin' };

describeOnEveryDatabase('the store of digests', (database) => {
  const digests = () => createDigests(database());
  beforeEach(async () => {
    await database().deleteFrom('digests').execute();
  });

  it("leases a due digest to one replica, which can't write after another leased it", async () => {
    await digests().set(place, nine, { now: 5, nextAt: 10 });
    const claims = await Promise.all([digests().claim(60_000), digests().claim(60_000)]);
    const [first] = claims.filter((claim) => claim !== undefined);
    expect(claims.filter(Boolean)).toHaveLength(1);
    expect(first).toMatchObject({ ...place, ...nine, sinceAt: 5, nextAt: 10, beganAt: null });
    if (!first) throw new Error('nothing is due');
    expect(await digests().begin(first, 11)).toBe(true);
    expect(await digests().putOff(first, 0)).toBe(true);
    const second = await digests().claim(60_000);
    expect(second).toMatchObject({ beganAt: 11 });
    expect(await digests().begin(first, 12)).toBe(false);
    expect(await digests().finish(first, { sinceAt: 1, nextAt: 1 })).toBe(false);
    if (!second) throw new Error('nothing is due');
    const nextAt = Date.now() + 60_000;
    expect(await digests().finish(second, { sinceAt: 10, nextAt })).toBe(true);
    expect(await digests().claim(60_000)).toBeUndefined();
  });

  it('keeps the time if the same hour is set again, and forgets a removed digest', async () => {
    const later = Date.now() + 60_000;
    await digests().set(place, nine, { now: 5, nextAt: later });
    await digests().set(place, { ...nine, timeZone: 'Asia/Tokyo' }, { now: 6, nextAt: 7 });
    expect(await digests().read(place)).toEqual(nine);
    expect(await digests().claim(60_000)).toBeUndefined();
    await digests().set(place, { hour: 10, timeZone: 'UTC' }, { now: 6, nextAt: 7 });
    expect(await digests().claim(60_000)).toMatchObject({ hour: 10, sinceAt: 5, nextAt: 7 });
    await digests().remove(place);
    expect(await digests().read(place)).toBeUndefined();
  });
});
