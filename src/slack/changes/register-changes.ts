import type { BlockAction, ButtonAction } from '@slack/bolt';
import type { ModalView } from '@slack/types';
import type { WebClient } from '@slack/web-api';
import type { RunViewer } from '../../store/requests/visible-requests.ts';
import type { Listeners } from '../connection/listeners.ts';
import { updateOpenModal } from '../posting/update-open-modal.ts';
import { viewerOf } from '../runs/click.ts';
import { viewChangesAction } from '../runs/run-buttons.ts';
import type { RunDoor } from '../runs/run-door.ts';
import { readRunRef } from '../runs/run-ref.ts';
import {
  type ChangesPlace,
  changesActions,
  readChangesPlace,
  renderChanges,
  renderChangesMessage,
} from './changes-view.ts';
import { type PatchReader, readChanges } from './read-changes.ts';

type ChangesParts = {
  door: Pick<RunDoor, 'see'>;
  connect(connectionId: string): { artifacts: PatchReader };
};

/** *View changes*, from a run message or *Details*. Anyone who can see the run may open it; each page asks again. */
export function registerChanges(app: Listeners, { door, connect }: ChangesParts): void {
  // Slack wants the click on a link button acknowledged too.
  app.action(changesActions.download, ({ ack }) => ack());

  on(viewChangesAction, async ({ action, body, client, context }) => {
    // At once: a trigger expires, and the patch has to be fetched.
    const modal = { trigger_id: body.trigger_id, view: renderChangesMessage(reading) };
    const opened = await (body.view?.type === 'modal'
      ? client.views.push(modal)
      : client.views.open(modal));
    const ref = readRunRef(action.value) ?? { requestId: 'unknown' };
    const viewer = viewerOf(body, context.teamId);
    const { conversationId } = viewer;
    const place = { ref, page: 0, ...(conversationId && { conversationId }) };
    await show(client, opened.view?.id, viewer, place);
  });
  on(changesActions.previous, (click) => turn(click, -1));
  on(changesActions.next, (click) => turn(click, 1));

  async function turn({ body, client, context }: PageClick, by: number): Promise<void> {
    if (!body.view) return;
    const place = readChangesPlace(body.view);
    const viewer = { ...viewerOf(body, context.teamId), conversationId: place.conversationId };
    await show(client, body.view.id, viewer, { ...place, page: place.page + by });
  }

  async function show(
    client: WebClient,
    viewId: string | undefined,
    viewer: RunViewer,
    place: ChangesPlace,
  ): Promise<void> {
    await updateOpenModal(client, viewId, await read(viewer, place));
  }

  async function read(viewer: RunViewer, place: ChangesPlace): Promise<ModalView> {
    const found = await door.see(viewer, place.ref);
    if ('sentence' in found) return renderChangesMessage(found.sentence);
    const { run, connectionId } = 'run' in found ? found : found.request;
    const changes = await readChanges(connect(connectionId).artifacts, run);
    if ('sentence' in changes || !run)
      return renderChangesMessage('sentence' in changes ? changes.sentence : '');
    return renderChanges(place, run, changes);
  }

  function on(actionId: string, act: (click: PageClick) => Promise<void>): void {
    const filter = { type: 'block_actions', action_id: actionId } as const;
    app.action<BlockAction<ButtonAction>>(filter, async ({ ack, ...click }) => {
      await ack();
      await act(click);
    });
  }
}

type PageClick = {
  action: ButtonAction;
  body: BlockAction;
  client: WebClient;
  context: { teamId?: string };
};

const reading = '⏳ Reading the changes…';
