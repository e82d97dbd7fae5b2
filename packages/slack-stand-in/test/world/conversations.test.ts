import { describe, expect, it } from 'vitest';
import { type Answer, callApi, callOk } from '../support/call-api.ts';
import { useWorkspace } from '../support/use-workspace.ts';

const channel = 'C04ENGINEER';
type Shown = { ts: string; text: string; metadata?: object; reply_count?: number };
const shownIn = (answer: Answer) => answer['messages'] as Shown[];
const nextOf = (answer: Answer) =>
  (answer['response_metadata'] as { next_cursor?: string } | undefined)?.next_cursor;

describe('conversations', () => {
  const { startWorkspace } = useWorkspace();

  async function startWithMessages(count: number) {
    const workspace = await startWorkspace({ retryDelaysMs: [] });
    const times: string[] = [];
    for (let each = 0; each < count; each++) {
      const { ts } = await callOk(workspace, 'chat.postMessage', { channel, text: `${each}` });
      times.push(String(ts));
    }
    return { workspace, times };
  }

  it('return history in pages, newest first, even if messages arrive in between', async () => {
    const { workspace } = await startWithMessages(5);
    const first = await callOk(workspace, 'conversations.history', { channel, limit: 2 });
    await callOk(workspace, 'chat.postMessage', { channel, text: 'later' });
    const cursor = nextOf(first);
    const second = await callOk(workspace, 'conversations.history', { channel, limit: 3, cursor });
    expect(first).toMatchObject({ has_more: true });
    expect(shownIn(first).map(({ text }) => text)).toEqual(['4', '3']);
    expect(shownIn(second).map(({ text }) => text)).toEqual(['2', '1', '0']);
    expect(second).toMatchObject({ has_more: false });
    expect(nextOf(second)).toBeUndefined();
  });

  it('exclude the ends of a range unless inclusive', async () => {
    const { workspace, times } = await startWithMessages(3);
    const range = { channel, oldest: times[0], latest: times[2] };
    const open = await callOk(workspace, 'conversations.history', range);
    const whole = await callOk(workspace, 'conversations.history', { ...range, inclusive: true });
    expect(shownIn(open).map(({ text }) => text)).toEqual(['1']);
    expect(shownIn(whole)).toHaveLength(3);
  });

  it('keep replies and ephemeral messages out of history, but not broadcasts', async () => {
    const { workspace, times } = await startWithMessages(1);
    const thread_ts = times[0];
    await callOk(workspace, 'chat.postMessage', { channel, thread_ts, text: 'reply' });
    const broadcast = { channel, thread_ts, text: 'both', reply_broadcast: true };
    await callOk(workspace, 'chat.postMessage', broadcast);
    await callOk(workspace, 'chat.postEphemeral', { channel, user: 'U04ADALOVEL', text: 'psst' });
    const history = shownIn(await callOk(workspace, 'conversations.history', { channel }));
    expect(history.map(({ text }) => text)).toEqual(['both', '0']);
    expect(history.at(-1)).toMatchObject({ reply_count: 2, thread_ts });
    const replies = await callOk(workspace, 'conversations.replies', { channel, ts: thread_ts });
    expect(shownIn(replies).map(({ text }) => text)).toEqual(['0', 'reply', 'both']);
  });

  it('keep the replies of a deleted message', async () => {
    const { workspace, times } = await startWithMessages(1);
    const [thread_ts = ''] = times;
    await callOk(workspace, 'chat.postMessage', { channel, thread_ts, text: 'reply' });
    await callOk(workspace, 'chat.delete', { channel, ts: thread_ts });
    const replies = await callOk(workspace, 'conversations.replies', { channel, ts: thread_ts });
    expect(shownIn(replies).map(({ text }) => text)).toEqual(['reply']);
  });

  it('return metadata only on request, and keep it across updates', async () => {
    const { workspace } = await startWithMessages(0);
    const metadata = { event_type: 'run', event_payload: { id: 'r1' } };
    const { ts } = await callOk(workspace, 'chat.postMessage', { channel, text: 'x', metadata });
    await callOk(workspace, 'chat.update', { channel, ts, text: 'y' });
    const read = async (args: object) =>
      shownIn(await callOk(workspace, 'conversations.history', { channel, ...args }))[0]?.metadata;
    expect(await read({})).toBeUndefined();
    expect(await read({ include_all_metadata: true })).toEqual(metadata);
    await callOk(workspace, 'chat.update', { channel, ts, text: 'y', metadata: {} });
    expect(await read({ include_all_metadata: true })).toBeUndefined();
  });

  it('give every message a unique, increasing time', async () => {
    const { times } = await startWithMessages(30);
    expect(new Set(times).size).toBe(30);
    expect(times.toSorted()).toEqual(times);
    for (const ts of times) expect(ts).toMatch(/^\d{10}\.\d{6}$/);
  });

  it('show the app alerts without text', async () => {
    const { workspace } = await startWithMessages(0);
    const alerts = await callOk(workspace, 'conversations.history', { channel: 'C04ALERTS01' });
    const [alert] = shownIn(alerts);
    expect(alert).toMatchObject({ text: '', subtype: 'bot_message' });
    expect(JSON.stringify(alert)).toContain('HighErrorRate');
  });

  it('show people with time zone and role', async () => {
    const { workspace } = await startWithMessages(0);
    const user = async (id: string) =>
      (await callOk(workspace, 'users.info', { user: id }))['user'] as Record<string, unknown>;
    expect(await user('U04ADALOVEL')).toMatchObject({ is_admin: true, is_restricted: false });
    expect(await user('U04ALANTURI')).toMatchObject({ tz: 'Asia/Kolkata', tz_offset: 19_800 });
    expect(await user('U04GUESTSAM')).toMatchObject({ is_ultra_restricted: true });
    expect(await user(workspace.bot.userId)).toMatchObject({ is_bot: true });
    const stranger = await user('U09STRANGER');
    expect(stranger).toMatchObject({ is_stranger: true, team_id: 'T09OUTSIDER' });
    expect(stranger).not.toHaveProperty('is_admin');
  });

  it('let the app message a person by user id and join public channels', async () => {
    const { workspace } = await startWithMessages(0);
    const grace = workspace.as('grace');
    const direct = await callOk(workspace, 'chat.postMessage', {
      channel: grace.person.id,
      text: 'x',
    });
    expect(direct['channel']).toBe(grace.directChannelId);
    await callOk(workspace, 'conversations.join', { channel: 'C04RANDOM01' });
    await callOk(workspace, 'chat.postMessage', { channel: 'C04RANDOM01', text: 'here' });
    await grace.removesApp('C04RANDOM01');
    expect(
      await callApi(workspace, 'chat.postMessage', { channel: 'C04RANDOM01', text: 'x' }),
    ).toMatchObject({ error: 'not_in_channel' });
  });

  it('allow one reaction per person, by name but not by emoji', async () => {
    const { workspace, times } = await startWithMessages(1);
    const react = (name: string) =>
      callApi(workspace, 'reactions.add', { channel, timestamp: times[0], name });
    expect(await react('white_check_mark')).toEqual({ ok: true });
    expect(await react('white_check_mark')).toMatchObject({ error: 'already_reacted' });
    expect(await react('✅')).toMatchObject({ error: 'invalid_name' });
  });
});
