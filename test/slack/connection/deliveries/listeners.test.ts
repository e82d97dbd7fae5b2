import type { ReceiverEvent } from '@slack/bolt';
import { describe, expect, it } from 'vitest';
import { createBoltApp } from '../../../support/bolt-app.ts';
import { listen } from '../../../support/listen.ts';

type Body = ReceiverEvent['body'];

function startApp() {
  const app = createBoltApp();
  const called: string[] = [];
  const { listeners, deliver: send } = listen(app);
  const note = (name: string) => async () => void called.push(name);
  const deliver = async (body: Body) => {
    called.length = 0;
    await send({ body, ack: async () => {} });
    return called;
  };
  return { listeners, note, deliver, send, called };
}

const person = { team: { id: 'T1' }, user: { id: 'U2' } };
const event = (type: string) => ({
  type: 'event_callback',
  event_id: 'Ev1',
  team_id: 'T1',
  event: { type, channel: 'C1', user: 'U2', ts: '1.0' },
});
const click = (action_id: string) => ({
  type: 'block_actions',
  ...person,
  actions: [{ type: 'button', action_id, block_id: 'b' }],
});

describe('the listener of a delivery', () => {
  it.each<[string, Body, string[]]>([
    ['a command', { command: '/agent', team_id: 'T1', user_id: 'U2', text: '' }, ['command']],
    ['another command', { command: '/agents', team_id: 'T1', user_id: 'U2', text: '' }, []],
    ['an event', event('link_shared'), ['event']],
    ['another event', event('reaction_added'), []],
    ['a click', click('go'), ['action']],
    ['a click that only begins so', click('going'), []],
    ['a click by a pattern', click('pick:model'), ['pattern']],
    ['a click of an older kind', { ...click('go'), type: 'interactive_message' }, []],
    ['a click without actions', { type: 'block_actions', ...person, actions: [] }, []],
    ['a name that every object has', click('constructor'), []],
    ['a search', { type: 'block_suggestion', ...person, action_id: 'go' }, ['options']],
    ['a shortcut', { type: 'shortcut', ...person, callback_id: 'run' }, ['shortcut']],
    ['a message shortcut', { type: 'message_action', ...person, callback_id: 'run' }, ['shortcut']],
    ['a form', { type: 'view_submission', ...person, view: { callback_id: 'go' } }, ['view']],
    ['a form that was closed', { type: 'view_closed', ...person, view: { callback_id: 'go' } }, []],
  ])('%s is found by kind and id', async (_, body, expected) => {
    const { listeners, note, deliver } = startApp();
    listeners.command('/agent', note('command'));
    listeners.event('link_shared', note('event'));
    listeners.action({ type: 'block_actions', action_id: 'go' }, note('action'));
    listeners.action(/^pick:(model|skill)$/, note('pattern'));
    listeners.options('go', note('options'));
    listeners.shortcut('run', note('shortcut'));
    listeners.view('go', note('view'));
    expect(await deliver(body)).toEqual(expected);
  });

  it('must be in the routes, and every route must have one', () => {
    const { listeners, note } = startApp();
    const none = {
      command: {},
      shortcut: {},
      event: {},
      function: {},
      options: {},
      view: {},
      view_closed: {},
    };
    listeners.action('go', note('action'));
    listeners.action(/^pick:/, note('pattern'));
    listeners.assertRoutes({ ...none, action: { go: '', 'pick:*': '' } });
    expect(() => listeners.assertRoutes({ ...none, action: { stop: '' } })).toThrow(
      'Routes and listeners differ: action stop, action go, action /^pick:/',
    );
  });

  it('can be for a workflow step', async () => {
    const { listeners, note, deliver } = startApp();
    listeners.function('run_agent', note('function'));
    expect(listeners.has({ kind: 'function', id: 'run_agent' })).toBe(true);
    expect(listeners.has({ kind: 'function', id: 'other' })).toBe(false);
    const executed = {
      ...event('function_executed'),
      event: {
        type: 'function_executed',
        function: { callback_id: 'run_agent' },
        function_execution_id: 'Fx1',
        bot_access_token: 'xwfp-1',
        inputs: {},
      },
    };
    expect(await deliver(executed)).toEqual(['function']);
  });

  it("can't be registered twice for one id", () => {
    const { listeners, note } = startApp();
    listeners.view('go', note('one'));
    expect(() => listeners.view('go', note('other'))).toThrow('Two listeners for view go');
  });

  it('passes its errors to the steps above', async () => {
    const { listeners, deliver } = startApp();
    const broken = new Error('broken');
    listeners.action('go', async () => {
      throw broken;
    });
    await expect(deliver(click('go'))).rejects.toBe(broken);
  });
});

describe('a message or a mention', () => {
  it("is taken before it's acknowledged, doesn't reach Bolt, and if that fails, Slack gets no answer", async () => {
    const { send, listeners, note, called } = startApp();
    const taken: unknown[] = [];
    listeners.event('link_shared', note('event'));
    listeners.event('message', note('message'));
    listeners.takeEvents(['app_mention', 'message'], async (body) => {
      taken.push(body);
      if (taken.length > 2) throw new Error('disk full');
    });
    let acknowledged = 0;
    const ack = async () => {
      acknowledged += 1;
    };
    await send({ body: click('message'), ack });
    await send({ body: event('link_shared'), ack });
    expect(taken).toEqual([]);
    acknowledged = 0;
    for (const type of ['message', 'app_mention']) await send({ body: event(type), ack });
    expect([taken.length, acknowledged]).toEqual([2, 2]);
    await expect(send({ body: event('message'), ack })).rejects.toThrow();
    expect([acknowledged, called]).toEqual([2, ['event']]);
  });
});
