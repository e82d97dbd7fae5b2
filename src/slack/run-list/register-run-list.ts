import type { ModalView } from '@slack/types';
import type { WebClient } from '@slack/web-api';
import type { RunRequest } from '../../store/requests/request-row.ts';
import type { RunViewer } from '../../store/requests/visible-requests.ts';
import type { Listeners } from '../connection/deliveries/listeners.ts';
import { answerPrivately, questionView } from '../posting/answer-privately.ts';
import { type Clicked, type OpenDetails, onClick, type Repeat } from '../runs/acting/click.ts';
import type { RunAccess } from '../runs/reading/run-access.ts';
import type { RunRef } from '../runs/run-ref.ts';
import { cancelNow, cancelWords } from '../runs/showing/buttons/run-buttons.ts';
import { boldTitle } from '../runs/showing/run-label.ts';
import { type RowChoice, readRowChoice, rowAction } from '../runs/showing/run-row-view.ts';
import { actions, modal, section } from '../text/blocks.ts';

type Deps = {
  access: RunAccess;
  openDetails: OpenDetails;
  repeats: { runAgain: Repeat; runWithChanges: Repeat };
  showHome(client: WebClient, viewer: RunViewer, cursors: readonly string[]): Promise<void>;
};

/** Registers the menu of a run in Home, and in the answers to `/agent list` and `/agent show`. */
export function registerRunList(
  app: Listeners,
  { access, openDetails, repeats, showHome }: Deps,
): void {
  onClick(app, rowAction, async (click) => {
    const choice = readRowChoice(click.value);
    // Skip *Open session*, whose link Slack itself opens.
    if (choice) await act(click, choice);
  });

  async function act(click: Clicked, { verb, ref }: RowChoice): Promise<void> {
    const place = { isList: true };
    switch (verb) {
      case 'details':
        return openDetails(click, ref);
      case 'again':
        await repeats.runAgain(click, ref, place);
        // Show Home again, because the new run in the list confirms that it was started.
        if (click.body.view?.type === 'home') await showHome(click.client, click.viewer, []);
        return;
      case 'change':
        return repeats.runWithChanges(click, ref, place);
      case 'cancel':
        return askToCancel(click, ref);
    }
  }

  /** Opens a modal that asks before canceling, because Slack can't confirm a single menu option. */
  async function askToCancel(click: Clicked, ref: RunRef): Promise<void> {
    const found = await access.see(click.viewer, ref);
    if ('sentence' in found) return answerPrivately(click, { text: found.sentence });
    if (!('request' in found)) return;
    const view = renderCancelQuestion(found.request);
    await click.client.views.open({ trigger_id: click.body.trigger_id, view });
  }
}

export const renderCancelQuestion = ({ id, title }: RunRequest): ModalView =>
  modal({
    callbackId: questionView,
    title: cancelWords.question,
    close: cancelWords.no,
    blocks: [
      section(boldTitle(title, 200)),
      section(cancelWords.meaning),
      actions([cancelNow(id)]),
    ],
  });
