import { expect, it } from 'vitest';
import { registerHome } from '../../../src/slack/home/home.ts';
import { createBoltApp } from '../../support/bolt-app.ts';
import { listen } from '../../support/listen.ts';

it('a new filter is stored before its click is acknowledged, and shown afterwards', async () => {
  const app = createBoltApp();
  const order: string[] = [];
  const note = (what: string) => async () => void order.push(what);
  const { listeners, deliver } = listen(app);
  registerHome(listeners, {
    settings: { read: async () => undefined, write: note('stored') },
    rights: { refuseSee: async () => 'No access' },
    views: { look: async () => ({ revision: 1 }), read: note('shown') },
  } as never);
  const everyone = { value: 'everyone', text: { type: 'plain_text', text: 'Everyone' } };
  const action = { type: 'static_select', block_id: 'b', selected_option: everyone };
  const body = {
    type: 'block_actions',
    team: { id: 'T1' },
    user: { id: 'U2' },
    actions: [{ ...action, action_id: 'home:creator' }],
  };
  await deliver({ body, ack: note('acknowledged') });
  expect(order).toEqual(['stored', 'acknowledged', 'shown']);
});
