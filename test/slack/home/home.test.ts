import { expect, it } from 'vitest';
import { registerHome } from '../../../src/slack/home/home.ts';
import { createBoltApp } from '../../support/bolt-app.ts';
import { listen } from '../../support/listen.ts';

it('a new filter is stored before its click is acknowledged, and shown afterwards', async () => {
  const app = createBoltApp();
  const order: string[] = [];
  const note = (what: string) => async () => void order.push(what);
  const never = () => Promise.reject(new Error('not called'));
  const { listeners, deliver } = listen(app);
  registerHome(listeners, {
    screen: { show: note('shown'), showAgain: never, turn: never },
    settings: { read: async () => undefined, write: note('stored') },
    people: { forget: () => true },
    promptRights: { denyOpen: never },
    connections: { catalogFor: never },
    requests: { recentConfigs: never },
    modals: {
      openAutomations: never,
      openSettings: never,
      openConnections: never,
      openUsage: never,
    },
    suggestPrompts: never,
  });
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
