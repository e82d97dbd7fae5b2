import { beforeEach, expect, it } from 'vitest';
import {
  type ConversationFacts,
  createConversations,
} from '../../../src/store/people/conversations.ts';
import { createRequestList } from '../../../src/store/requests/request-list.ts';
import { createRequests } from '../../../src/store/requests/requests.ts';
import { aRun } from '../../support/builders.ts';
import { describeOnDatabase } from '../../support/database/databases.ts';

const teamId = 'T1';
const viewer = (userId: string) => ({ teamId, userId });
const place = (conversationId: string) => ({ teamId, conversationId });

describeOnDatabase('seeing follows the conversation', (database) => {
  beforeEach(async () => {
    for (const table of ['requests', 'conversations', 'conversation_members'] as const)
      await database().deleteFrom(table).execute();
  });

  const conversations = () => createConversations(database());
  const requests = () => createRequests(database());

  async function store(id: string, channelId: string, more: object = {}): Promise<void> {
    await requests().accept({
      id,
      teamId,
      channelId,
      creatorId: 'creator',
      prompt: 'count',
      title: id,
      config: {},
      acceptedAt: 1_000,
      ...more,
    });
  }

  /** Stores facts about a conversation as if Slack had returned them. */
  async function learn(conversationId: string, facts: ConversationFacts): Promise<void> {
    await conversations().note(place(conversationId));
    await conversations().changed(place(conversationId));
    for (;;) {
      const due = await conversations().takeDue(60_000);
      if (!due) throw new Error(`${conversationId} isn't due`);
      const isIt = due.conversationId === conversationId;
      if (isIt) return void (await conversations().write(due, facts, 60_000));
    }
  }

  const seenBy = async (userId: string, more: object = {}) => {
    const list = createRequestList(database());
    const page = await list.page({ viewer: { ...viewer(userId), ...more } }, { limit: 99 });
    return page.map(({ id }) => id).toSorted();
  };

  it('shows what is public, and private runs only to members and creators', async () => {
    await store('public', 'C1');
    await store('private', 'C2');
    await store('direct', 'D1');
    await store('unread', 'C3');
    await learn('C1', { kind: 'public' });
    await learn('C2', { kind: 'private', memberIds: ['member', 'member'] });
    expect(await seenBy('stranger')).toEqual(['public']);
    expect(await seenBy('member')).toEqual(['private', 'public']);
    expect(await seenBy('creator')).toEqual(['direct', 'private', 'public', 'unread']);
    expect(await seenBy('stranger', { conversationId: 'C3' })).toEqual(['public', 'unread']);
    const inOtherTeam = { viewer: { teamId: 'T2', userId: 'creator' } };
    expect(await createRequestList(database()).page(inOtherTeam, { limit: 9 })).toEqual([]);
  });

  it('counts and looks up only what is visible', async () => {
    await store('hidden', 'C2', { acceptedAt: 1_000 });
    const found = { runId: 'run-1', run: aRun({ run_id: 'run-1' }) };
    await database()
      .updateTable('requests')
      .set({ run_id: found.runId, step: 'ended', run_state: 'FAILED' })
      .execute();
    await learn('C2', { kind: 'private', memberIds: ['member'] });
    const list = createRequestList(database());
    const failed = async (userId: string) => (await list.counts(viewer(userId), 0)).failed;
    expect([await failed('stranger'), await failed('member')]).toEqual([0, 1]);
    const byPrefix = (userId: string) => requests().findByRunPrefix(viewer(userId), 'run');
    expect(await byPrefix('stranger')).toEqual([]);
    expect(await byPrefix('member')).toHaveLength(1);
    expect([...(await requests().findVisible(viewer('stranger'), ['hidden']))]).toEqual([]);
    expect([...(await requests().findVisible(viewer('member'), ['hidden']))]).toEqual(['hidden']);
    const inOtherTeam = { teamId: 'T2', userId: 'U9', conversationId: 'C2' };
    expect([...(await requests().findVisible(inOtherTeam, ['hidden']))]).toEqual([]);
  });

  it('hides the runs of a channel that became private', async () => {
    await store('a', 'C1');
    await learn('C1', { kind: 'public' });
    expect(await seenBy('stranger')).toEqual(['a']);
    await learn('C1', { kind: 'private', memberIds: ['member'] });
    expect([await seenBy('stranger'), await seenBy('member')]).toEqual([[], ['a']]);
    await learn('C1', { kind: 'private', memberIds: [] });
    expect(await seenBy('member')).toEqual([]);
  });

  it('follows who joins and leaves, and drops what was read before that', async () => {
    await store('a', 'C1');
    await learn('C1', { kind: 'private', memberIds: ['leaver'] });
    await conversations().changed(place('C1'));
    const due = await conversations().takeDue(60_000);
    await conversations().moved(place('C1'), 'leaver', false);
    await conversations().moved(place('C1'), 'joiner', true);
    await conversations().moved(place('C1'), 'joiner', true);
    const old: ConversationFacts = { kind: 'private', memberIds: ['leaver'] };
    expect(due && (await conversations().write(due, old, 60_000))).toBe(false);
    expect([await seenBy('leaver'), await seenBy('joiner')]).toEqual([[], ['a']]);
    expect((await conversations().takeDue(60_000))?.conversationId).toBe('C1');
    expect(await conversations().moved(place('C9'), 'joiner', true)).toBe(false);
  });

  it('finds the conversations of all requests but direct messages, and gives each to one reader', async () => {
    await store('a', 'C1');
    await store('b', 'C1');
    await store('c', 'D1');
    await conversations().noteAll();
    await conversations().noteAll();
    expect(await conversations().takeDue(60_000)).toMatchObject({ ...place('C1'), isNew: true });
    expect(await conversations().takeDue(60_000)).toBeUndefined();
    expect(await conversations().note(place('C1'))).toBe(false);
  });

  it('search finds a prompt as everyone sees it', async () => {
    await store('a', 'C1', { prompt: 'Deploy with password=hunter2abc and go' });
    const list = createRequestList(database());
    const found = async (search: string) =>
      (await list.page({ viewer: viewer('creator'), search }, { limit: 9 })).length;
    expect([await found('hunter2abc'), await found('deploy with password')]).toEqual([0, 1]);
    expect(await found('masked secret')).toBe(1);
  });

  it('knows a run of ours by its request, before its id is stored', async () => {
    await store('a', 'C1');
    const ours = aRun({ run_id: 'run-1', metadata: { request_id: 'a' } });
    const foreign = aRun({ run_id: 'run-2' });
    const found = await requests().findOfRuns('default', [ours, foreign]);
    expect([...found].map(([runId, { id }]) => [runId, id])).toEqual([['run-1', 'a']]);
  });
});
