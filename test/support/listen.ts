import type { App } from '@slack/bolt';
import { WebClient } from '@slack/web-api';
import { callListeners, createListeners } from '../../src/slack/connection/deliveries/listeners.ts';

/** Listeners of a workspace, called by Bolt. */
export function listen(app: App) {
  const listeners = createListeners();
  const client = new WebClient();
  callListeners(app, {
    of: () => listeners,
    clientOf: () => client,
    steps: ['run_agent'],
    teamIdOf: async () => 'T1',
  });
  return listeners;
}
