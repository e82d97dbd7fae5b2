import type { BlockAction, ButtonAction } from '@slack/bolt';
import type { ModalView } from '@slack/types';
import type { RunFeedback } from '../../store/requests/run-feedback.ts';
import type { RunViewer } from '../../store/requests/visible-requests.ts';
import type { Listeners } from '../connection/listeners.ts';
import { updateOpenModal } from '../posting/update-open-modal.ts';
import { type OpenDetails, viewerOf } from '../runs/click.ts';
import { detailsAction } from '../runs/run-buttons.ts';
import type { RunDoor } from '../runs/run-door.ts';
import { type RunRef, readRunRef } from '../runs/run-ref.ts';
import { detailsOfRequest, detailsOfRun } from './detailed-run.ts';
import { feedbackFacts } from './feedback-facts.ts';
import { renderDetails, renderDetailsMessage } from './run-details-view.ts';

/** *Details*, from a run message or a list of runs. Anyone who can see the run may open it. */
export function registerRunDetails(
  app: Listeners,
  { door, feedback }: { door: Pick<RunDoor, 'see'>; feedback: Pick<RunFeedback, 'ofRuns'> },
): { openDetails: OpenDetails } {
  const openDetails: OpenDetails = async ({ ref, triggerId, viewer, client }) => {
    const open = (view: ModalView) => client.views.open({ trigger_id: triggerId, view });
    if ('requestId' in ref) {
      await open(await read(viewer, ref));
      return;
    }
    const opened = await open(renderDetailsMessage('⏳ Loading…'));
    await updateOpenModal(client, opened.view?.id, await read(viewer, ref));
  };

  app.action<BlockAction<ButtonAction>>(
    { type: 'block_actions', action_id: detailsAction },
    async ({ ack, action, body, client, context }) => {
      await ack();
      const ref = readRunRef(action.value) ?? { requestId: 'unknown' };
      const viewer = viewerOf(body, context.teamId);
      await openDetails({ ref, triggerId: body.trigger_id, client, viewer });
    },
  );

  async function read(viewer: RunViewer, ref: RunRef): Promise<ModalView> {
    const found = await door.see(viewer, ref);
    if ('sentence' in found) return renderDetailsMessage(found.sentence);
    if ('run' in found) return renderDetails(detailsOfRun(found));
    const { request } = found;
    const ratings = await feedback.ofRuns([request.id]);
    return renderDetails(detailsOfRequest(request), feedbackFacts(ratings, viewer.userId));
  }

  return { openDetails };
}
