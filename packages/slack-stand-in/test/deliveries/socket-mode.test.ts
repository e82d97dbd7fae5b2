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

  it("shows Slack's errors if the app does not answer or the command is unknown", async () => {
    const register = (app: App) => app.command('/try', async () => {});
    const { workspace } = await startSocketApp(register, { ackWithinMs: 50 });
    const ada = workspace.as('ada');
    expect((await ada.types(engineering, '/nothing')).outcome).toMatchObject({ acked: false });
    const { outcome } = await ada.types(engineering, '/try it');
    expect(outcome).toMatchObject({ acked: false, error: 'operation_timeout' });
  });
});
