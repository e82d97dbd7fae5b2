import { beforeEach, expect, it } from 'vitest';
import { createDigests } from '../../../src/store/outbox/digests.ts';
import { createOutbox } from '../../../src/store/outbox/outbox.ts';
import { describeOnDatabase } from '../../support/database/databases.ts';

const place = { teamId: 'T1', channelId: 'C1' };
const nine = { hour: 9, timeZone: 'Europe/Berlin' };

describeOnDatabase('the store of digests', (database) => {
  const digests = () => createDigests(database());
  beforeEach(async () => {
    await database().deleteFrom('digests').execute();
    await database().deleteFrom('outbox').execute();
  });

  it('plans a due digest once, however many replicas have read that it is due', async () => {
    await digests().set(place, nine, { now: 5, nextAt: 10 });
    const [due] = await digests().due(10);
    expect(due).toMatchObject({ ...place, ...nine, sinceAt: 5, nextAt: 10 });
    if (!due) throw new Error('nothing is due');
    const post = { id: 'd', kind: 'digest', teamId: 'T1', requestId: null, content: {}, dueAt: 1 };
    const plan = () => digests().planPost(due, { sinceAt: 10, nextAt: 20 }, post);
    expect((await Promise.all([plan(), plan()])).toSorted()).toEqual([false, true]);
    expect(await createOutbox(database()).find('d')).toMatchObject({ state: 'waiting' });
    expect(await digests().due(19)).toEqual([]);
    expect(await digests().due(20)).toMatchObject([{ sinceAt: 10 }]);
  });

  it('keeps the time if the same hour is set again, and forgets a removed digest', async () => {
    const later = Date.now() + 60_000;
    await digests().set(place, nine, { now: 5, nextAt: later });
    await digests().set(place, { ...nine, timeZone: 'Asia/Tokyo' }, { now: 6, nextAt: 7 });
    expect(await digests().read(place)).toEqual(nine);
    expect(await digests().due(later - 1)).toEqual([]);
    await digests().set(place, { hour: 10, timeZone: 'UTC' }, { now: 6, nextAt: 7 });
    expect(await digests().due(7)).toMatchObject([{ hour: 10, sinceAt: 5, nextAt: 7 }]);
    await digests().remove(place);
    expect(await digests().read(place)).toBeUndefined();
  });
});
