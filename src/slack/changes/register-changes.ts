import type { ModalView } from '@slack/types';
import type { RunViewer } from '../../store/requests/visible-requests.ts';
import type { Connect } from '../configuration/connect.ts';
import type { Listeners } from '../connection/deliveries/listeners.ts';
import { showLoaded, updateOpenModal } from '../posting/modals.ts';
import { type Clicked, onOpeningClick, refOf } from '../runs/acting/click.ts';
import type { RunAccess } from '../runs/reading/run-access.ts';
import { viewChangesAction } from '../runs/showing/buttons/run-buttons.ts';
import {
  type ChangesPlace,
  changesActions,
  readChangesPlace,
  renderChanges,
  renderChangesMessage,
} from './changes-view.ts';
import { readChanges } from './read-changes.ts';

type ChangesDeps = { access: Pick<RunAccess, 'see'>; connect: Connect };

/** Registers *View changes*. Anyone who can see the run can open it, which is checked again for each page. */
export function registerChanges(app: Listeners, { access, connect }: ChangesDeps): void {
  // Acknowledge a click on the link button, which Slack expects.
  app.action(changesActions.download, ({ ack }) => ack());

  onOpeningClick(app, viewChangesAction, async (click) => {
    const { viewer } = click;
    const { conversationId } = viewer;
    const place = { ref: refOf(click), page: 0, ...(conversationId && { conversationId }) };
    await showLoaded(click, renderChangesMessage(reading), () => read(viewer, place));
  });
  onOpeningClick(app, changesActions.previous, (click) => turn(click, -1));
  onOpeningClick(app, changesActions.next, (click) => turn(click, 1));

  async function turn({ body, client, viewer }: Clicked, by: number): Promise<void> {
    if (!body.view) return;
    const before = readChangesPlace(body.view);
    const place = { ...before, page: before.page + by };
    const view = await read({ ...viewer, conversationId: before.conversationId }, place);
    await updateOpenModal(client, body.view.id, view);
  }

  async function read(viewer: RunViewer, place: ChangesPlace): Promise<ModalView> {
    const found = await access.see(viewer, place.ref);
    if ('sentence' in found) return renderChangesMessage(found.sentence);
    const { run, connectionId } = 'run' in found ? found : found.request;
    const changes = await readChanges(connect, { run, connectionId });
    if ('sentence' in changes || !run)
      return renderChangesMessage('sentence' in changes ? changes.sentence : '');
    return renderChanges(place, run, changes);
  }
}

const reading = '⏳ Reading the changes…';
