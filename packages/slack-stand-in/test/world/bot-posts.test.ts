import { describe, expect, it } from 'vitest';
import type { LocalWorkspace } from '../../src/index.ts';
import { callOk } from '../support/call-api.ts';
import { useWorkspace } from '../support/use-workspace.ts';

const alerts = 'C04ALERTS01';

const lastEvent = (workspace: LocalWorkspace) =>
  Object(
    workspace.traffic
      .recent()
      .filter(({ name }) => name === 'events_api')
      .at(-1)?.request,
  ).event;

const post = (url: string, body: string) => fetch(url, { method: 'POST', body });

describe('messages of other bots', () => {
  const { startWorkspace } = useWorkspace();
  const start = () => startWorkspace({ retryDelaysMs: [] });

  it('name a user and a bot if they were posted with a bot token', async () => {
    const workspace = await start();
    const bot = workspace.as('Alertmanager');
    await bot.posts(alerts, { text: 'disk full', username: 'Deploybot' });
    expect(lastEvent(workspace)).toMatchObject({
      user: 'U04ALERTBOT',
      bot_id: 'B04ALERTBOT',
      bot_profile: { id: 'B04ALERTBOT', name: 'Alertmanager' },
      username: 'Deploybot',
      text: 'disk full',
    });
    expect(lastEvent(workspace)).not.toHaveProperty('subtype');
    const { bot: info } = await callOk(workspace, 'bots.info', { bot: 'B04ALERTBOT' });
    expect(info).toMatchObject({ name: 'Alertmanager', user_id: 'U04ALERTBOT' });
    await expect(bot.posts('C04ENGINEER', { text: 'x' })).rejects.toThrow('not_in_channel');
    await expect(workspace.as('ada').posts(alerts, { text: 'x' })).rejects.toThrow("isn't a bot");
    await expect(bot.posts(alerts, {})).rejects.toThrow('no_text');
  });

  it('name only a bot if they came through an incoming webhook', async () => {
    const workspace = await start();
    const url = workspace.as('Alertmanager').incomingWebhook(alerts);
    const attachments = [{ title: 'DiskFull', text: 'on db-1' }];
    const response = await post(url, JSON.stringify({ attachments }));
    expect([response.status, await response.text()]).toEqual([200, 'ok']);
    await workspace.settled();
    const event = lastEvent(workspace);
    expect(event).toMatchObject({ subtype: 'bot_message', bot_id: 'B04ALERTBOT', text: '' });
    for (const key of ['user', 'team', 'app_id', 'bot_profile', 'client_msg_id'])
      expect(event).not.toHaveProperty(key);
    const form = `payload=${encodeURIComponent(JSON.stringify({ text: 'by form' }))}`;
    expect((await post(url, form)).status).toBe(200);

    const message = workspace.messagesIn(alerts).at(-1);
    await workspace.as('ada').reacts(alerts, String(message?.ts), 'eyes');
    expect(lastEvent(workspace)).toMatchObject({ type: 'reaction_added', reaction: 'eyes' });
    expect(lastEvent(workspace)).not.toHaveProperty('item_user');
  });

  it('are rejected by an incoming webhook with the errors of Slack', async () => {
    const workspace = await start();
    const url = workspace.as('Alertmanager').incomingWebhook(alerts);
    const answer = async (to: string, body: string) => {
      const response = await post(to, body);
      return `${response.status} ${await response.text()}`;
    };
    expect(await answer(`${url}x`, '{"text":"x"}')).toBe('404 no_service');
    const wrongBot = url.replace('B04ALERTBOT', 'B04DEPLOYBT');
    expect(await answer(wrongBot, '{"text":"x"}')).toBe('404 no_service');
    expect(await answer(url, 'not json')).toBe('400 invalid_payload');
    expect(await answer(url, '{}')).toBe('400 no_text');
    await workspace.faults.inject({ name: 'channel_archived', channel: alerts });
    expect(await answer(url, '{"text":"x"}')).toBe('410 channel_is_archived');
  });

  it('are never commands', async () => {
    const workspace = await start();
    const { message } = await workspace.as('Alertmanager').types(alerts, '/try this');
    expect(message?.text).toBe('/try this');
    expect(lastEvent(workspace)).toMatchObject({ type: 'message', text: '/try this' });
  });
});

describe('reactions', () => {
  const { startWorkspace } = useWorkspace();
  const start = (leftOut: string[] = []) => startWorkspace({ retryDelaysMs: [], leftOut });

  it('are only possible with a real name, and not on private answers or in archived channels', async () => {
    const workspace = await start();
    const ada = workspace.as('ada');
    const ts = String(workspace.messagesIn(alerts)[0]?.ts);
    await expect(ada.reacts(alerts, ts, '👀')).rejects.toThrow("isn't the name of an emoji");
    await ada.reacts(alerts, ts, ':custom-emoji:');
    expect(lastEvent(workspace)).toMatchObject({
      type: 'reaction_added',
      user: 'U04ADALOVEL',
      reaction: 'custom-emoji',
      item: { type: 'message', channel: alerts, ts },
    });
    const whisper = { channel: 'C04ENGINEER', user: ada.person.id, text: 'psst' };
    const { message_ts } = await callOk(workspace, 'chat.postEphemeral', whisper);
    const private_ = ada.reacts('C04ENGINEER', String(message_ts), 'eyes');
    await expect(private_).rejects.toThrow('message_not_found');
    await workspace.faults.inject({ name: 'channel_archived', channel: alerts });
    await expect(ada.reacts(alerts, ts, 'eyes')).rejects.toThrow('is_archived');
  });

  it('of people outside the app send it nothing without the scope or the membership', async () => {
    const workspace = await start();
    const ada = workspace.as('ada');
    const { message } = await ada.types('C04RANDOM01', 'not here');
    await ada.reacts('C04RANDOM01', String(message?.ts), 'eyes');
    await workspace.faults.inject({ name: 'partial_scopes', granted: ['chat:write'] });
    await ada.reacts(alerts, String(workspace.messagesIn(alerts)[0]?.ts), 'eyes');
    await workspace.settled();
    expect(lastEvent(workspace)).toBeUndefined();
  });
});
