import { describe, expect, it } from 'vitest';
import { useWorkspace } from '../support/use-workspace.ts';

const engineering = 'C04ENGINEER';
const general = 'C04GENERAL1';
const plain = (text: string) => ({ type: 'plain_text' as const, text });

const modalWith = (element: object) =>
  ({
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
  }) as never;

const one = { type: 'conversations_select', action_id: 'pick' };
const many = { type: 'multi_conversations_select', action_id: 'pick' };
const current = { default_to_current_conversation: true };

describe('a picker that defaults to the current conversation', () => {
  const { startSocketApp } = useWorkspace();

  /** Opens a modal with the picker; returns its value, and the value in a modal pushed on top. */
  async function openedWith(element: object, from: 'command' | 'shortcut' | 'nowhere') {
    const view = modalWith(element);
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
    if (from === 'command') await ada.types(engineering, '/try');
    else await ada.usesGlobalShortcut('anywhere', from === 'shortcut' ? { at: engineering } : {});
    const opened = await workspace.until(() => ada.modal());
    const { type: _, ...held } = opened.values['where']?.['pick'] ?? {};
    return { workspace, ada, opened, held: Object.values(held)[0], payloads };
  }

  it.each([
    ['holds where a command was typed', one, 'command', engineering],
    ['holds where the shortcut was used', one, 'shortcut', engineering],
    ['holds nothing where no conversation is shown', one, 'nowhere', null],
    ['of several holds that one', many, 'shortcut', [engineering]],
    ['of several holds nothing from nowhere', many, 'nowhere', []],
    [
      "keeps the app's initial conversation",
      { ...one, initial_conversation: general },
      'shortcut',
      general,
    ],
    [
      'is empty if its filter excludes the conversation',
      { ...one, filter: { include: ['im'] } },
      'shortcut',
      null,
    ],
    [
      'holds the conversation if its filter includes it',
      { ...one, filter: { include: ['public'] } },
      'command',
      engineering,
    ],
  ] as const)('%s', async (_, element, from, expected) => {
    expect((await openedWith({ ...element, ...current }, from)).held).toEqual(expected);
  });

  it('is empty without the flag', async () => {
    expect((await openedWith(one, 'shortcut')).held).toBeNull();
  });

  it('sends the conversation, with a response_url if requested, and passes it to a modal pushed on top', async () => {
    const asking = { ...one, ...current, response_url_enabled: true };
    const { workspace, ada, opened, payloads } = await openedWith(asking, 'shortcut');
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
