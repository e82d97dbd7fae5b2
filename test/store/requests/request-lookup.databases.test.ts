import { expect, it } from 'vitest';
import { createStore } from '../../../src/store/store.ts';
import { describeOnDatabase } from '../../support/database/databases.ts';

const viewer = { teamId: 'T1', userId: 'U1' };

describeOnDatabase('finding requests', (database) => {
  it('keeps the origin of a request, and finds it by what people type', async () => {
    const { requests, conversations } = createStore(database());
    const origin = { kind: 'mention' as const, threadTs: '1.0', fields: { model_id: 'typed' } };
    const base = { teamId: 'T1', creatorId: 'U1', channelId: 'C1', prompt: 'p', title: 't' };
    await requests.accept({ ...base, id: 'a', config: { model_id: 'm' }, origin, acceptedAt: 1 });
    await requests.accept({ ...base, id: 'b', config: {}, acceptedAt: 2 });
    await database()
      .updateTable('requests')
      .set({ run_id: 'run_1%x', step: 'following' })
      .where('id', '=', 'a')
      .execute();
    const inSlack = { channel_id: 'C1', ts: '5.0' };
    await database().updateTable('outbox').set(inSlack).where('id', '=', 'a').execute();
    // A request that was just accepted doesn't count as used yet.
    expect(await requests.recentConfigs(viewer, { channelId: 'C1' })).toEqual([{ model_id: 'm' }]);
    await database()
      .updateTable('requests')
      .set({ step: 'posted' })
      .where('id', '=', 'b')
      .execute();

    expect((await requests.find('a'))?.origin).toEqual(origin);
    expect((await requests.find('b'))?.origin).toBeNull();
    expect((await requests.findByMessage('T1', { channelId: 'C1', ts: '5.0' }))?.id).toBe('a');
    expect(await requests.findByMessage('T2', { channelId: 'C1', ts: '5.0' })).toBeUndefined();
    const idsOf = async (prefix: string) =>
      (await requests.findByRunPrefix({ teamId: 'T1', userId: 'U1' }, prefix)).map(({ id }) => id);
    expect(await idsOf('run_1%')).toEqual(['a']);
    expect(await idsOf('runX1')).toEqual([]);
    expect(await idsOf('RUN')).toEqual([]);
    const inThread = { channelId: 'C1', threadTs: '1.0' };
    const liveIn = async (threadTs: string) =>
      (await requests.liveInThread('T1', { ...inThread, threadTs })).map(({ id }) => id);
    expect(await liveIn('1.0')).toEqual(['a']);
    expect(await liveIn('5.0')).toEqual(['a']);
    expect(await liveIn('2.0')).toEqual([]);
    expect(await liveIn('%')).toEqual([]);
    const ofThread = async (threadTs: string, channelId = 'C1') =>
      (await requests.findOfThread('T1', { channelId, threadTs }))?.id;
    // The request belongs to that discussion. The thread below its message belongs to the request.
    expect([await ofThread('1.0'), await ofThread('5.0')]).toEqual([undefined, 'a']);
    const [older, newer] = [{ model_id: 'm' }, {}];
    expect(await requests.recentConfigs(viewer, { channelId: 'C1' })).toEqual([newer, older]);
    expect(await requests.recentConfigs(viewer, { channelId: 'C2' })).toEqual([]);
    expect(await requests.recentConfigs(viewer, { creatorId: 'U1' })).toEqual([newer, older]);
    expect(await requests.recentConfigs(viewer, { creatorId: 'U2' })).toEqual([]);
    expect(await requests.recentConfigs(viewer, {}, 1)).toEqual([newer]);
    expect(await requests.recentConfigs({ ...viewer, teamId: 'T2' }, {})).toEqual([]);

    const ofPosts = async (userId: string, channelId = 'C1', conversationId?: string) => {
      const as = { ...viewer, userId, conversationId };
      const found = await requests.findOfPosts(as, channelId, ['5.0', '6.0']);
      return [...found].map(([ts, { id }]) => [ts, id]);
    };
    expect(await ofPosts('U1')).toEqual([['5.0', 'a']]);
    expect(await ofPosts('U1', 'C2')).toEqual([]);
    expect(await ofPosts('U2')).toEqual([]);
    expect(await ofPosts('U2', 'C1', 'C1')).toEqual([['5.0', 'a']]);

    const session = 'https://agents.example.com/1';
    const ofA = database().updateTable('requests').where('id', '=', 'a');
    await ofA.set({ session_link: session }).execute();
    const links = [session, 'https://ci.example.com/1'];
    expect(await requests.sessionsAmong('T1', links)).toEqual([session]);
    expect(await requests.sessionsAmong('T2', links)).toEqual([]);

    // Other people's configurations are listed once the viewer can see their runs.
    const other = { ...viewer, userId: 'U2' };
    expect(await requests.recentConfigs(other, {})).toEqual([]);
    expect(await requests.recentConfigs(other, { channelId: 'C1' })).toEqual([]);
    const place = { teamId: 'T1', conversationId: 'C1' };
    await conversations.note(place);
    await conversations.moved(place, 'U1', true);
    expect(await conversations.isOpenTo(place, 'U1')).toBe(true);
    expect(await conversations.isOpenTo(place, 'U2')).toBe(false);
    await conversations.write({ ...place, version: 1 }, { kind: 'public' }, 60_000);
    expect(await conversations.isOpenTo(place, 'U2')).toBe(true);
    expect(await conversations.isOpenTo({ ...place, teamId: 'T2' }, 'U2')).toBe(false);
    expect(await requests.recentConfigs(other, {})).toEqual([newer, older]);
  });

  it('finds a request by the thread of its message after that was deleted', async () => {
    const store = createStore(database());
    const base = { teamId: 'T1', creatorId: 'U1', channelId: 'C8', prompt: 'p', title: 't' };
    const mention = { kind: 'mention' as const, threadTs: '1.0', ownsThread: true };
    await store.requests.accept({ ...base, id: 'd1', config: {}, acceptedAt: 1 });
    await store.requests.accept({ ...base, id: 'd2', config: {}, acceptedAt: 2, origin: mention });
    const ids = ['d1', 'd2'];
    const gone = { state: 'done', place: null } as const;
    for (const leased of await store.posting.leases.claim('me', 60_000, 10)) {
      if (!ids.includes(leased.id)) continue;
      const place = { channelId: 'C8', ts: leased.id === 'd1' ? '8.0' : '1.5' };
      await store.posting.messages.posted(leased, { state: 'posted', place });
      await store.posting.messages.deleted(leased, gone, place);
    }
    const { requests } = store;
    const found = async (ts: string) => {
      const [live] = await requests.liveInThread('T1', { channelId: 'C8', threadTs: ts });
      const ofThread = await requests.findOfThread('T1', { channelId: 'C8', threadTs: ts });
      const byMessage = await requests.findByMessage('T1', { channelId: 'C8', ts });
      return [live?.id, ofThread?.id, byMessage?.id];
    };
    expect(await found('8.0')).toEqual(['d1', 'd1', 'd1']);
    // The thread of a mention still finds the request, too.
    expect(await found('1.0')).toEqual(['d2', 'd2', undefined]);
    expect(await requests.findByMessage('T2', { channelId: 'C8', ts: '8.0' })).toBeUndefined();
  });

  it('suggests the prompts of a person again, without secrets', async () => {
    const { requests } = createStore(database());
    const base = { teamId: 'T1', creatorId: 'U9', channelId: 'C1', config: {}, title: 't' };
    const prompts = ['count', 'use ghp_012345678901234567890123456789abcdef', 'x'.repeat(1_001)];
    for (const [at, prompt] of prompts.entries())
      await requests.accept({ ...base, id: `recent-${at}`, prompt, acceptedAt: at });
    await database()
      .updateTable('requests')
      .set({ step: 'posted' })
      .where('creator_id', '=', 'U9')
      .execute();
    const recent = [{ title: 't', prompt: 'count' }];
    expect(await requests.recentPrompts({ teamId: 'T1', userId: 'U9' })).toEqual(recent);
    expect(await requests.recentPrompts({ teamId: 'T1', userId: 'U8' })).toEqual([]);
  });

  it('finds the newest request that a thread is about', async () => {
    const { requests } = createStore(database());
    const base = { teamId: 'T1', creatorId: 'U1', channelId: 'C1', prompt: 'p', title: 't' };
    const origin = { kind: 'reply' as const, threadTs: '7.0', ownsThread: true };
    for (const [id, acceptedAt] of [
      ['d', 4],
      ['c', 3],
    ] as const)
      await requests.accept({ ...base, id, config: {}, origin, acceptedAt });
    const find = async (teamId: string, channelId: string, threadTs: string) =>
      (await requests.findOfThread(teamId, { channelId, threadTs }))?.id;
    expect(await find('T1', 'C1', '7.0')).toBe('d');
    expect(await find('T2', 'C1', '7.0')).toBeUndefined();
    expect(await find('T1', 'C2', '7.0')).toBeUndefined();
  });
});
