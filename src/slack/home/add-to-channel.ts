/** The form that adds the app to a channel. */
import type { ModalView } from '@slack/types';
import type { WebClient } from '@slack/web-api';
import { withSoftTimeout } from 'base/time/soft-timeout';
import type { RunViewer } from '../../store/requests/visible-requests.ts';
import type { Listeners } from '../connection/deliveries/listeners.ts';
import { readSlackFailure } from '../posting/slack-failure.ts';
import { input, modal } from '../text/blocks.ts';

const view = 'home:join';
const block = 'channel';

export const renderAddToChannel = (): ModalView =>
  modal({
    callbackId: view,
    title: 'Add app to channel',
    submit: 'Add',
    blocks: [
      input(
        {
          blockId: block,
          label: 'Public channel',
          hint: 'For a private channel, type /invite @agent in the channel.',
        },
        {
          type: 'conversations_select',
          action_id: 'value',
          filter: { include: ['public'], exclude_external_shared_channels: true },
        },
      ),
    ],
  });

type Picked = Record<string, Record<string, { selected_conversation?: string | null }>>;

export function joinPickedChannel(
  app: Listeners,
  ackWaitMs: number,
  afterwards: (joined: { client: WebClient; viewer: RunViewer }) => Promise<void>,
): void {
  app.view(view, async ({ ack, body, view: { state }, client, context }) => {
    const picked = (state.values as Picked)[block]?.['value']?.selected_conversation ?? '';
    const problem = await withSoftTimeout(join(client, picked), ackWaitMs);
    if (problem !== 'joined') {
      await ack({ response_action: 'errors', errors: { [block]: problem ?? tooSlow } });
      return;
    }
    await ack();
    await afterwards({ client, viewer: { teamId: context.teamId ?? '', userId: body.user.id } });
  });
}

const tooSlow = "Slack didn't answer in time. Try again.";

/** Returns a sentence for the person when Slack refuses. Joining twice does no harm. */
async function join(client: WebClient, channel: string): Promise<'joined' | (string & {})> {
  try {
    await client.conversations.join({ channel });
    return 'joined';
  } catch (error) {
    const { outcome, reason } = readSlackFailure(error);
    return outcome === 'later'
      ? tooSlow
      : `Slack didn't let the app join (${reason}). Type /invite @agent in the channel.`;
  }
}
