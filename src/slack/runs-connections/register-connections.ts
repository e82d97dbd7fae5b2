import type { WebClient } from '@slack/web-api';
import { isOwnKey, operatorConnection, serviceOf } from '../../requests/connection.ts';
import type { RunViewer } from '../../store/requests/visible-requests.ts';
import type { Listeners } from '../connection/deliveries/listeners.ts';
import { forMembers, type OpenModal } from '../people/members-only.ts';
import type { Rights } from '../people/rights.ts';
import { answerPrivately } from '../posting/answer-privately.ts';
import { showModal, updateOpenModal } from '../posting/modals.ts';
import { type Clicked, onClick } from '../runs/acting/click.ts';
import type { RunAccess } from '../runs/reading/run-access.ts';
import { repairAction } from '../runs/showing/buttons/run-buttons.ts';
import { connectionActions, renderConnections } from './connections-view.ts';
import { renderAddForm, renderKeyForm } from './key-form.ts';
import { type ListConnectionsParts, listConnections } from './list-connections.ts';
import { forgetDefault, registerKeyForms, type SubmitKeyParts } from './submit-key.ts';

type ConnectionsParts = ListConnectionsParts &
  SubmitKeyParts & {
    access: Pick<RunAccess, 'seeRequest'>;
    promptRights: Pick<Rights, 'refuseOpen'>;
  };

/** Connections to runs services: admins add and remove them, and people connect keys of their own. */
export function registerConnections(app: Listeners, parts: ConnectionsParts): OpenModal {
  const { keys, connections, rights, access } = parts;
  registerKeyForms(app, parts, refresh);

  onClick(app, connectionActions.own, async (click) => {
    const refusal = await rights.refuseOpen(click.viewer);
    await (refusal ? answerPrivately(click, warn(refusal)) : askForKey(click, click.value, true));
  });

  onByAdmin(connectionActions.replace, (click) => askForKey(click, click.value, false));

  onByAdmin(connectionActions.add, (click) => showModal(click, renderAddForm()));

  onByAdmin(connectionActions.remove, async ({ viewer, value, body, client }) => {
    const name = await connections.nameOf(value);
    if (await keys.remove(viewer, value)) {
      await forgetDefault(parts, viewer, name);
      parts.wake();
    }
    await refresh(client, viewer, body.view?.id);
  });

  onClick(app, connectionActions.disconnect, async ({ viewer, value, body, client }) => {
    if (await keys.disconnect(viewer, value)) parts.wake();
    await refresh(client, viewer, body.view?.id);
  });

  // From the message of a run that can't go on without another key.
  onClick(app, repairAction, async (click) => {
    const found = await access.seeRequest(click.viewer, click.value);
    if ('sentence' in found) return answerPrivately(click, warn(found.sentence));
    const { connectionId, creatorId } = found.request;
    const serviceId = serviceOf(connectionId);
    const isOwn = isOwnKey(connectionId);
    const refusal = isOwn
      ? creatorId !== click.viewer.userId && `Only <@${creatorId}> can connect this key again.`
      : await rights.refuseSettings(click.viewer, 'workspace');
    await (refusal ? answerPrivately(click, warn(refusal)) : askForKey(click, serviceId, isOwn));
  });

  async function askForKey(click: Clicked, serviceId: string, isOwn: boolean): Promise<void> {
    const name = await connections.nameOf(serviceId);
    const isOperators = serviceId === operatorConnection;
    if (name === undefined || (isOperators && !isOwn))
      return answerPrivately(click, { text: removed });
    await showModal(click, renderKeyForm({ serviceId, isOwn, name }));
  }

  async function refresh(client: WebClient, viewer: RunViewer, viewId: string | undefined) {
    if (!viewId) return;
    await updateOpenModal(client, viewId, renderConnections(await listConnections(parts, viewer)));
  }

  function onByAdmin(actionId: string, act: (click: Clicked) => Promise<unknown>): void {
    onClick(app, actionId, async (click) => {
      const refusal = await rights.refuseSettings(click.viewer, 'workspace');
      await (refusal ? answerPrivately(click, warn(refusal)) : act(click));
    });
  }

  return forMembers(parts.promptRights, async (client, { triggerId, asker }) => {
    const view = renderConnections(await listConnections(parts, asker));
    await client.views.open({ trigger_id: triggerId, view });
  });
}

const warn = (sentence: string) => ({ text: `⚠️ ${sentence}` });
const removed = 'This connection was removed. Ask a workspace admin.';
