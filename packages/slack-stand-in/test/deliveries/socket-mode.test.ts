import type { App } from '@slack/bolt';
import { describe, expect, it } from 'vitest';
import { useWorkspace } from '../support/use-workspace.ts';

const engineering = 'C04ENGINEER';

const modal = (text: string) => ({
  type: 'modal' as const,
  callback_id: 'ask',
  private_metadata: text,
  title: { type: 'plain_text' as const, text: 'Ask' },
  submit: { type: 'plain_text' as const, text: 'Go' },
  blocks: [
    {
      type: 'input' as const,
      block_id: 'what',
      label: { type: 'plain_text' as const, text: 'What' },
      element: { type: 'plain_text_input' as const, action_id: 'text', initial_value: text },
    },
    {
      type: 'input' as const,
      block_id: 'why',
      optional: true,
      label: { type: 'plain_text' as const, text: 'Why' },
      element: { type: 'plain_text_input' as const, action_id: 'text2' },
    },
  ],
});

describe('a Bolt app on Socket Mode', () => {
  const { startSocketApp } = useWorkspace();

  it('opens a modal from a slash command and posts when it is submitted', async () => {
    const { workspace } = await startSocketApp((app) => {
      app.command('/try', async ({ ack, client, command }) => {
        await ack();
        await client.views.open({ trigger_id: command.trigger_id, view: modal(command.text) });
      });
      app.view('ask', async ({ ack, client, view }) => {
        const text = view.state.values['what']?.['text']?.value ?? '';
        if (text === 'bad') {
          await ack({ response_action: 'errors', errors: { what: 'not this' } });
          return;
        }
        await ack();
        await client.chat.postMessage({ channel: engineering, text: `asked: ${text}` });
      });
    });
    const ada = workspace.as('Ada Lovelace');
    await ada.types(engineering, '/try bad');
    await workspace.until(() => ada.modal());
    expect(await ada.submits()).toEqual({ errors: { what: 'not this' } });
    expect(await ada.submits({ text: 'good' })).toEqual({});
    expect(ada.modal()).toBeUndefined();
    const posted = () =>
      workspace.messagesIn(engineering).find(({ text }) => text === 'asked: good');
    await workspace.until(posted);
  });

  it('clicks a button, updates the message and answers to the response_url', async () => {
    const { workspace, app } = await startSocketApp((bolt) => {
      bolt.action('stop', async ({ ack, respond, client, body }) => {
        await ack();
        await respond({ text: 'only you see this', replace_original: false });
        if (body.type !== 'block_actions' || !body.channel || !body.message) return;
        const ts = String(body.message['ts']);
        await client.chat.update({ channel: body.channel.id, ts, text: 'stopped' });
      });
    });
    const { ts } = await app.client.chat.postMessage({
      channel: engineering,
      text: 'running',
      blocks: [
        {
          type: 'actions',
          elements: [
            { type: 'button', action_id: 'stop', text: { type: 'plain_text', text: 'Stop' } },
          ],
        },
      ],
    });
    const grace = workspace.as('grace');
    const place = { channelId: engineering, messageTs: String(ts) };
    expect(await grace.clicks(place, 'stop')).toMatchObject({ acked: true });
    await workspace.until(() => grace.sees(engineering).some(({ text }) => text === 'stopped'));
    expect(grace.sees(engineering).some(({ visibleTo }) => visibleTo)).toBe(true);
    expect(
      workspace
        .as('alan')
        .sees(engineering)
        .some(({ visibleTo }) => visibleTo),
    ).toBe(false);
  });

  it('publishes the Home tab when it opens, and gets two events for a mention', async () => {
    const heard: string[] = [];
    const { workspace } = await startSocketApp((app) => {
      app.event('app_home_opened', async ({ client, event }) => {
        const blocks = [{ type: 'divider' as const }];
        await client.views.publish({ user_id: event.user, view: { type: 'home', blocks } });
      });
      app.event('app_mention', async ({ event }) => void heard.push(`mention ${event.text}`));
      app.message(async ({ message }) => void heard.push(message.type));
    });
    const alan = workspace.as('alan');
    await alan.opensHome();
    const home = await workspace.until(() => alan.home());
    expect(home.type).toBe('home');
    await alan.types(engineering, '@test-app please');
    await workspace.settled();
    expect(heard.toSorted()).toEqual([`mention <@${workspace.bot.userId}> please`, 'message']);
  });

  it("shows Slack's errors if the app does not answer or the command is unknown", async () => {
    const silent = (app: App) => app.command('/try', async () => {});
    const { workspace } = await startSocketApp(silent, { ackWithinMs: 100 });
    const ada = workspace.as('ada');
    expect((await ada.types(engineering, '/nothing')).outcome).toMatchObject({ acked: false });
    const { outcome } = await ada.types(engineering, '/try it');
    expect(outcome).toMatchObject({ acked: false, error: 'operation_timeout' });
  });
});
