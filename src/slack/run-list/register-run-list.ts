import type { WebClient } from '@slack/web-api';
import type { RunViewer } from '../../store/requests/visible-requests.ts';
import type { Listeners } from '../connection/deliveries/listeners.ts';
import { answerPrivately } from '../posting/answer-privately.ts';
import { type Clicked, type OpenDetails, onClick, type Repeat } from '../runs/acting/click.ts';
import type { RunAccess } from '../runs/reading/run-access.ts';
import type { RunRef } from '../runs/run-ref.ts';
import { type RowChoice, readRowChoice, rowAction } from '../runs/showing/run-row-view.ts';
import { renderCancelQuestion } from './cancel-question.ts';

type RunListParts = {
  access: Pick<RunAccess, 'see'>;
  openDetails: OpenDetails;
  runAgain: Repeat;
  runWithChanges: Repeat;
  showHome(client: WebClient, viewer: RunViewer, cursors: readonly string[]): Promise<void>;
};

/** Handles picks from a run's menu in the Home tab, in the answers to `/agent list` and `show`, and in a run's card. */
export function registerRunList(app: Listeners, parts: RunListParts): void {
  onClick(app, rowAction, async (click) => {
    const pick = readRowChoice(click.value);
    // Undefined for *Open session*, whose link Slack opens.
    if (pick) await act(click, pick);
  });

  async function act(click: Clicked, { verb, ref }: RowChoice): Promise<void> {
    const place = { isList: true };
    switch (verb) {
      case 'details':
        return parts.openDetails(click, ref);
      case 'again':
        await parts.runAgain(click, ref, place);
        // The new run in the list confirms that it was started.
        if (click.body.view?.type === 'home') await parts.showHome(click.client, click.viewer, []);
        return;
      case 'change':
        return parts.runWithChanges(click, ref, place);
      case 'cancel':
        return askToCancel(click, ref);
    }
  }

  /** Slack can't confirm a single menu option, so a modal asks. */
  async function askToCancel(click: Clicked, ref: RunRef): Promise<void> {
    const found = await parts.access.see(click.viewer, ref);
    if ('sentence' in found) return answerPrivately(click, { text: found.sentence });
    if (!('request' in found)) return;
    const view = renderCancelQuestion(found.request);
    await click.client.views.open({ trigger_id: click.body.trigger_id, view });
  }
}
