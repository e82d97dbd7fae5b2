import type { ModalView } from '@slack/types';
import type { RunFeedback } from '../../store/requests/run-feedback.ts';
import type { RunViewer } from '../../store/requests/visible-requests.ts';
import type { Listeners } from '../connection/deliveries/listeners.ts';
import { showLoaded, showModal, updateOpenModal } from '../posting/modals.ts';
import {
  type OpenDetails,
  onOpeningClick,
  type RedrawDetails,
  refOf,
} from '../runs/acting/click.ts';
import type { RunAccess } from '../runs/reading/run-access.ts';
import type { RunRef } from '../runs/run-ref.ts';
import { detailsAction } from '../runs/showing/buttons/run-buttons.ts';
import { detailsOfRequest, detailsOfRun } from './detailed-run.ts';
import {
  detailsView,
  feedbackFacts,
  renderDetails,
  renderDetailsMessage,
} from './run-details-view.ts';

/** Registers *Details* of run messages and lists of runs. Anyone who can see the run can open it. */
export function registerRunDetails(
  app: Listeners,
  { access, feedback }: { access: RunAccess; feedback: RunFeedback },
): { openDetails: OpenDetails; redrawDetails: RedrawDetails } {
  const openDetails: OpenDetails = async (click, ref) => {
    const load = () => read(click.viewer, ref);
    // Open *Details* at once if the store has the run. Otherwise, open a loading view first, because the runs
    // service may respond after the trigger expires.
    if ('requestId' in ref) await showModal(click, await load());
    else await showLoaded(click, renderDetailsMessage('⏳ Loading…'), load);
  };
  onOpeningClick(app, detailsAction, (click) => openDetails(click, refOf(click)));

  async function read(viewer: RunViewer, ref: RunRef): Promise<ModalView> {
    const found = await access.see(viewer, ref);
    if ('sentence' in found) return renderDetailsMessage(found.sentence);
    if ('run' in found) return renderDetails(detailsOfRun(found));
    const { request } = found;
    const ratings = await feedback.ofRuns([request.id]);
    return renderDetails(detailsOfRequest(request), feedbackFacts(ratings, viewer.userId));
  }

  const redrawDetails: RedrawDetails = async ({ body: { view }, client, viewer }, requestId) => {
    if (view?.callback_id !== detailsView) return;
    await updateOpenModal(client, view.id, await read(viewer, { requestId }));
  };

  return { openDetails, redrawDetails };
}
