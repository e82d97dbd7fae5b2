import type { View } from '@slack/types';
import { describe, expect, it } from 'vitest';
import { useWorkspace } from './support/use-workspace.ts';

const engineering = 'C04ENGINEER';
const plain = (text: string) => ({ type: 'plain_text' as const, text });
const input = (block_id: string, element: object, rest: object = {}) => ({
  type: 'input' as const,
  block_id,
  label: plain(block_id),
  element: { action_id: `${block_id}-value`, ...element },
  ...rest,
});
const option = (value: string) => ({ text: plain(value), value });
/** Returns a modal of untyped blocks, which the SDK's types don't accept. */
const modal = (blocks: object[], rest: object = {}): View => {
  const view = {
    type: 'modal',
    callback_id: 'form',
    title: plain('Form'),
    submit: plain('Go'),
    blocks,
    ...rest,
  };
  return JSON.parse(JSON.stringify(view));
};

describe('modals', () => {
  const { startSocketApp } = useWorkspace();

  it('submit typed, picked, initial and empty values', async () => {
    let values: unknown;
    const { workspace } = await startSocketApp((app) => {
      app.command('/try', async ({ ack, client, command }) => {
        await ack();
        const blocks = [
          input('typed', { type: 'plain_text_input' }),
          input('initial', { type: 'plain_text_input', initial_value: 'kept' }),
          input('empty', { type: 'plain_text_input' }, { optional: true }),
          input('picked', { type: 'static_select', options: [option('a'), option('b')] }),
          input(
            'ticked',
            { type: 'checkboxes', options: [option('x'), option('y')] },
            { optional: true },
          ),
          input('date', { type: 'datepicker', initial_date: '2026-11-21' }),
        ];
        await client.views.open({ trigger_id: command.trigger_id, view: modal(blocks) });
      });
      app.view('form', async ({ ack, view }) => {
        values = view.state.values;
        await ack();
      });
    });
    const ada = workspace.as('ada');
    await ada.types(engineering, '/try');
    await workspace.until(() => ada.modal());
    expect(await ada.submits({ typed: 'hello' })).toEqual({
      errors: { picked: 'Please complete this required field.' },
    });
    expect(await ada.submits({ picked: 'b' })).toEqual({});
    expect(values).toEqual({
      typed: { 'typed-value': { type: 'plain_text_input', value: 'hello' } },
      initial: { 'initial-value': { type: 'plain_text_input', value: 'kept' } },
      empty: { 'empty-value': { type: 'plain_text_input', value: null } },
      picked: { 'picked-value': { type: 'static_select', selected_option: option('b') } },
      ticked: { 'ticked-value': { type: 'checkboxes', selected_options: [] } },
      date: { 'date-value': { type: 'datepicker', selected_date: '2026-11-21' } },
    });
  });

  it('keep typed text when the app updates them, and dispatch actions', async () => {
    const { workspace } = await startSocketApp((app) => {
      const name = input('name', { type: 'plain_text_input', initial_value: 'first' });
      const more = {
        type: 'actions',
        block_id: 'more',
        elements: [{ type: 'button', action_id: 'more', text: plain('More') }],
      };
      app.command('/try', async ({ ack, client, command }) => {
        await ack();
        await client.views.open({ trigger_id: command.trigger_id, view: modal([name, more]) });
      });
      app.action('more', async ({ ack, client, body }) => {
        await ack();
        if (body.type !== 'block_actions' || !body.view) return;
        const typed = body.view.state.values['name']?.['name-value']?.value;
        const told = { type: 'context', elements: [plain(`you typed ${typed}`)] };
        const { id: view_id, hash } = body.view;
        await client.views.update({ view_id, hash, view: modal([name, told]) });
      });
    });
    const ada = workspace.as('ada');
    await ada.types(engineering, '/try');
    const view = await workspace.until(() => ada.modal());
    await ada.fills({ name: 'second' });
    await ada.clicks({ view }, 'more');
    await workspace.until(() => JSON.stringify(ada.modal()?.content).includes('you typed second'));
    expect(ada.modal()?.values['name']?.['name-value']?.['value']).toBe('second');
  });

  it('stack up to three, close one by one or at once, and notify the app on request', async () => {
    const closed: string[] = [];
    const push = (callback_id: string) =>
      modal([input('a', { type: 'plain_text_input' }, { optional: true })], {
        callback_id,
        notify_on_close: true,
      });
    const { workspace } = await startSocketApp((app) => {
      app.command('/try', async ({ ack, client, command }) => {
        await ack();
        await client.views.open({ trigger_id: command.trigger_id, view: push('form') });
      });
      app.view('form', async ({ ack }) => {
        await ack({ response_action: 'push', view: push('form') });
      });
      app.view({ callback_id: 'form', type: 'view_closed' }, async ({ ack, body }) => {
        await ack();
        closed.push(Object(body).is_cleared ? 'cleared' : 'closed');
      });
    });
    const ada = workspace.as('ada');
    await ada.types(engineering, '/try');
    await workspace.until(() => ada.modal());
    await ada.submits();
    await ada.submits();
    expect(ada.modals()).toHaveLength(3);
    expect(ada.modals().map(({ rootViewId }) => rootViewId)).toEqual(
      Array(3).fill(ada.modals()[0]?.id),
    );
    expect(await ada.submits()).toEqual({ error: 'push_limit_reached' });
    await ada.closesModal();
    await ada.closesModal({ all: true });
    expect(closed).toEqual(['closed', 'cleared', 'cleared']);
    expect(ada.modal()).toBeUndefined();
  });

  it('reject used and unknown triggers', async () => {
    const { workspace } = await startSocketApp((app) => {
      app.command('/try', async ({ ack, client, command }) => {
        await ack();
        const view = modal([input('a', { type: 'plain_text_input' })]);
        for (const trigger_id of [command.trigger_id, command.trigger_id, '1.2.abc']) {
          await client.views.open({ trigger_id, view }).catch(() => undefined);
        }
      });
    });
    await workspace.as('ada').types(engineering, '/try');
    const answers = () =>
      workspace.traffic
        .recent()
        .filter(({ name }) => name === 'views.open')
        .map(({ answer }) => Object(answer).error);
    await workspace.until(() => answers().length === 3);
    expect(answers()).toEqual([undefined, 'exchanged_trigger_id', 'invalid_trigger_id']);
  });

  it('search external selects while a person types, and submit the choice', async () => {
    let submitted: unknown;
    const { workspace } = await startSocketApp((app) => {
      app.command('/try', async ({ ack, client, command }) => {
        await ack();
        const select = { type: 'external_select', min_query_length: 1 };
        const view = modal([input('env', select)]);
        await client.views.open({ trigger_id: command.trigger_id, view });
      });
      app.options('env-value', async ({ ack, payload }) => {
        await ack({ options: [option(`${payload.value}-1`), option(`${payload.value}-2`)] });
      });
      app.view('form', async ({ ack, view }) => {
        submitted = view.state.values['env']?.['env-value']?.selected_option?.value;
        await ack();
      });
    });
    const ada = workspace.as('ada');
    await ada.types(engineering, '/try');
    await workspace.until(() => ada.modal());
    expect(await ada.searches('env', '')).toEqual([]);
    const options = await ada.searches('env', 'prod');
    expect(options.map(({ value }) => value)).toEqual(['prod-1', 'prod-2']);
    await ada.submits({ env: options[1] });
    expect(submitted).toBe('prod-2');
  });
});
