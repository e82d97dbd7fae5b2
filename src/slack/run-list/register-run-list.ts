import type { BlockAction, ButtonAction, OverflowAction } from '@slack/bolt';
import type { WebClient } from '@slack/web-api';
import type { RunViewer } from '../../store/requests/visible-requests.ts';
import { acknowledgeAfter } from '../connection/acknowledge-in-time.ts';
import type { Listeners } from '../connection/listeners.ts';
import { answerPrivately } from '../posting/answer-privately.ts';
import { type Click, type OpenDetails, type Repeat, viewerOf } from '../runs/click.ts';
import type { RunDoor } from '../runs/run-door.ts';
import type { RunRef } from '../runs/run-ref.ts';
import { type RowPick, readRowPick, rowAction } from '../runs/run-row-view.ts';
import { renderCancelQuestion } from './cancel-question.ts';

type RunListParts = {
  door: Pick<RunDoor, 'see'>;
  openDetails: OpenDetails;
  runAgain: Repeat;
  runWithChanges: Repeat;
  showHome(client: WebClient, viewer: RunViewer, cursors: readonly string[]): Promise<void>;
};

/** Handles picks from a run's menu in the Home tab, in the answers to `/agent list` and `show`, and in a run's card. */
export function registerRunList(app: Listeners, parts: RunListParts): void {
  app.action<BlockAction<OverflowAction | ButtonAction>>(
    { type: 'block_actions', action_id: rowAction },
    async ({ ack, action, body, client, context, respond }) => {
      const pick = readRowPick(
        'selected_option' in action ? action.selected_option.value : action.value,
      );
      // Undefined for *Open session*, whose link Slack opens.
      if (!pick) return ack();
      const click = { body, client, respond };
      await acknowledgeAfter({ ack, context }, () => act(click, pick, context.teamId ?? ''));
    },
  );

  async function act(click: Click, { verb, ref }: RowPick, teamId: string): Promise<void> {
    const { body, client } = click;
    switch (verb) {
      case 'details':
        return parts.openDetails({
          ...{ ref, client, triggerId: body.trigger_id },
          viewer: viewerOf(body, teamId),
        });
      case 'again':
        await parts.runAgain({ ...click, ref, teamId, isList: true });
        // The new run in the list confirms that it was started.
        if (body.view?.type === 'home') {
          await parts.showHome(client, { teamId, userId: body.user.id }, []);
        }
        return;
      case 'change':
        return parts.runWithChanges({ ...click, ref, teamId, isList: true });
      case 'cancel':
        return askToCancel(click, ref, teamId);
    }
  }

  /** Slack can't confirm a single menu option, so a modal asks. */
  async function askToCancel(click: Click, ref: RunRef, teamId: string): Promise<void> {
    const found = await parts.door.see(viewerOf(click.body, teamId), ref);
    if ('sentence' in found) return answerPrivately(click, { text: found.sentence });
    if (!('request' in found)) return;
    const view = renderCancelQuestion(found.request);
    await click.client.views.open({ trigger_id: click.body.trigger_id, view });
  }
}
