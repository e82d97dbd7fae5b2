import type { App } from '@slack/bolt';
import type { Requests } from '../../store/requests.ts';
import { connectAction, openSessionAction, tryAgainAction } from './run-buttons.ts';

type RunMessageParts = { requests: Pick<Requests, 'tryAgain'>; wake(): void };

/** The buttons of the run message. */
export function registerRunMessage(app: App, { requests, wake }: RunMessageParts): void {
  // A link button still sends an action, which Slack wants acknowledged.
  app.action(openSessionAction, ({ ack }) => ack());
  app.action(connectAction, ({ ack }) => ack());

  app.action({ type: 'block_actions', action_id: tryAgainAction }, async ({ ack, action }) => {
    await ack();
    if (action.type !== 'button' || !action.value) return;
    if (await requests.tryAgain(action.value, Date.now())) wake();
  });
}
