import type { View } from '@slack/types';
import { describe, expect, it } from 'vitest';
import { useWorkspace } from '../support/use-workspace.ts';

const engineering = 'C04ENGINEER';
const general = 'C04GENERAL1';
const plain = (text: string) => ({ type: 'plain_text' as const, text });

const modalWith = (element: object): View => {
  const view = {
    type: 'modal',
    callback_id: 'form',
    title: plain('Form'),
    submit: plain('Go'),
    blocks: [
      { type: 'input', block_id: 'where', label: plain('Where'), element },
      {
        type: 'actions',
        block_id: 'more',
        elements: [{ type: 'button', action_id: 'push', text: plain('Push') }],
      },
    ],
  };
  return JSON.parse(JSON.stringify(view));
};

const one = { type: 'conversations_select', action_id: 'pick' };
const many = { type: 'multi_conversations_select', action_id: 'pick' };
const current = { default_to_current_conversation: true };

describe('a picker that defaults to the current conversation', () => {
  const { startSocketApp } = useWorkspace();

  /** Starts a workspace with an app that opens modals with a picker. `open` returns the opened modal. */
  async function start() {
    let view = modalWith(one);
    const payloads: unknown[] = [];
    const { workspace } = await startSocketApp((app) => {
      app.command('/try', async ({ ack, client, command }) => {
        await ack();
        await client.views.open({ trigger_id: command.trigger_id, view });
      });
      app.shortcut('anywhere', async ({ ack, client, shortcut }) => {
        await ack();
        await client.views.open({ trigger_id: shortcut.trigger_id, view });
      });
      app.action('push', async ({ ack, client, body }) => {
        await ack();
        const { trigger_id } = body as { trigger_id: string };
        await client.views.push({ trigger_id, view });
      });
      app.view('form', async ({ ack, body }) => {
        await ack();
        payloads.push(body.view.state.values, Object(body).response_urls);
      });
    });
    const ada = workspace.as('ada');
    const open = async (element: object, from: 'command' | 'shortcut' | 'nowhere') => {
      view = modalWith(element);
      if (from === 'command') await ada.types(engineering, '/try');
      else await ada.usesGlobalShortcut('anywhere', from === 'shortcut' ? { at: engineering } : {});
      return workspace.until(() => ada.modal());
    };
    return { workspace, ada, open, payloads };
  }

  it('holds that one unless the app, its filter or the place is against it', async () => {
    const { ada, open } = await start();
    const initial = { ...one, initial_conversation: general };
    const filtered = (kind: string) => ({ ...one, filter: { include: [kind] } });
    for (const [element, from, expected] of [
      [{ ...one, ...current }, 'command', engineering],
      [{ ...one, ...current }, 'shortcut', engineering],
      [{ ...one, ...current }, 'nowhere', null],
      [one, 'shortcut', null],
      [{ ...many, ...current }, 'shortcut', [engineering]],
      [{ ...many, ...current }, 'nowhere', []],
      [{ ...initial, ...current }, 'shortcut', general],
      [{ ...filtered('im'), ...current }, 'shortcut', null],
      [{ ...filtered('public'), ...current }, 'command', engineering],
    ] as const) {
      const { values } = await open(element, from);
      const { type: _, ...held } = values['where']?.['pick'] ?? {};
      expect(Object.values(held)[0], JSON.stringify([element, from])).toEqual(expected);
      await ada.closesModal({ all: true });
    }
  });

  it('sends the conversation, with a response_url if requested, and passes it to a modal pushed on top', async () => {
    const { workspace, ada, open, payloads } = await start();
    const opened = await open({ ...one, ...current, response_url_enabled: true }, 'shortcut');
    await ada.clicks({ view: opened }, 'push');
    await workspace.until(() => ada.modals().length === 2);
    expect(ada.modal()?.values['where']).toEqual(opened.values['where']);
    await ada.submits();
    expect(payloads).toMatchObject([
      { where: { pick: { type: 'conversations_select', selected_conversation: engineering } } },
      [{ block_id: 'where', action_id: 'pick', channel_id: engineering }],
    ]);
  });
});
