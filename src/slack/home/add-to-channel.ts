/** *Add me to a channel*: a form with one picker, and joining what was picked. */
import type { BlockAction } from '@slack/bolt';
import type { ModalView } from '@slack/types';
import type { WebClient } from '@slack/web-api';
import { withPatience } from '../../lib/patience.ts';
import { ackWaitMs } from '../connection/acknowledge-in-time.ts';
import type { Listeners } from '../connection/listeners.ts';
import { readSlackTrouble } from '../posting/slack-trouble.ts';
import { plain } from '../text/blocks.ts';
import { homeActions } from './home-filter-row.ts';

const view = 'home:join';
const block = 'channel';

export const renderAddToChannel = (): ModalView => ({
  type: 'modal',
  callback_id: view,
  title: plain('Add me to a channel', 24),
  submit: plain('Add', 24),
  close: plain('Close', 24),
  blocks: [
    {
      type: 'input',
      block_id: block,
      label: plain('Public channel', 100),
      hint: plain('In a private one, somebody who is in it types /invite @agent.', 200),
      element: {
        type: 'conversations_select',
        action_id: 'value',
        filter: { include: ['public'], exclude_external_shared_channels: true },
      },
    },
  ],
});

type Picked = Record<string, Record<string, { selected_conversation?: string | null }>>;

export function registerAddToChannel(
  app: Listeners,
  added: (client: WebClient, by: { teamId: string; userId: string }) => Promise<void>,
): void {
  app.action<BlockAction>(homeActions.addToChannel, async ({ ack, body, client }) => {
    await ack();
    await client.views.open({ trigger_id: body.trigger_id, view: renderAddToChannel() });
  });

  app.view(view, async ({ ack, body, view: { state }, client, context }) => {
    const picked = (state.values as Picked)[block]?.['value']?.selected_conversation ?? '';
    const problem = await withPatience(join(client, picked), ackWaitMs);
    if (problem !== 'joined') {
      await ack({ response_action: 'errors', errors: { [block]: problem ?? tooSlow } });
      return;
    }
    await ack();
    await added(client, { teamId: context.teamId ?? '', userId: body.user.id });
  });
}

const tooSlow = 'Slack didn’t answer in time. Try again.';

/** Joining twice does no harm. Otherwise a sentence for the person. */
async function join(client: WebClient, channel: string): Promise<'joined' | (string & {})> {
  try {
    await client.conversations.join({ channel });
    return 'joined';
  } catch (error) {
    const { outcome, reason } = readSlackTrouble(error);
    return outcome === 'later'
      ? tooSlow
      : `Slack didn’t let the app in (${reason}). Type /invite @agent in the channel.`;
  }
}
