import type { WebClient } from '@slack/web-api';
import type { ConnectionClients } from '../../following/connection-clients.ts';
import { isOwnKey, operatorConnection, serviceOf } from '../../requests/connection.ts';
import type { ConnectionChanges } from '../../store/connection-changes.ts';
import type { ConnectionKeys } from '../../store/connection-keys.ts';
import type { Settings } from '../../store/people/settings.ts';
import type { RunViewer } from '../../store/requests/visible-requests.ts';
import type { RunConnections } from '../configuration/run-connections.ts';
import type { Listeners } from '../connection/deliveries/listeners.ts';
import { forMembers, type OpenModal } from '../people/members-only.ts';
import type { Rights } from '../people/rights.ts';
import { answerPrivately } from '../posting/answer-privately.ts';
import { showModal, updateOpenModal } from '../posting/modals.ts';
import { type Clicked, onClick } from '../runs/acting/click.ts';
import type { RunAccess } from '../runs/reading/run-access.ts';
import { repairAction } from '../runs/showing/buttons/run-buttons.ts';
import {
  type ConnectionsContent,
  connectionActions,
  renderAddForm,
  renderConnections,
  renderKeyForm,
} from './connections-view.ts';
import { forgetDefault, registerKeyForms } from './submit-key.ts';

type Deps = {
  keys: ConnectionKeys & ConnectionChanges;
  clients: ConnectionClients;
  connections: RunConnections;
  settings: Settings;
  access: RunAccess;
  rights: Rights;
  /** Rights checks that wait for Slack only until the acknowledgement is due. */
  promptRights: Rights;
  ackWaitMs: number;
  wake(): void;
};

/** Registers the connections to runs services. Admins add and remove them, and people connect their own keys. */
export function registerConnections(app: Listeners, deps: Deps): OpenModal {
  const { keys, clients, connections, settings, access, rights, ackWaitMs, wake } = deps;
  registerKeyForms(app, { keys, clients, settings, rights, ackWaitMs, wake }, refresh);

  onClick(app, connectionActions.own, async (click) => {
    const rejection = await rights.denyOpen(click.viewer);
    await (rejection
      ? answerPrivately(click, deny(rejection))
      : askForKey(click, click.value, true));
  });

  onByAdmin(connectionActions.replace, (click) => askForKey(click, click.value, false));

  onByAdmin(connectionActions.add, (click) => showModal(click, renderAddForm()));

  onByAdmin(connectionActions.remove, async ({ viewer, value, body, client }) => {
    const name = await connections.nameOf(value);
    if (await keys.remove(viewer, value)) {
      await forgetDefault(settings, viewer, name);
      wake();
    }
    await refresh(client, viewer, body.view?.id);
  });

  onClick(app, connectionActions.disconnect, async ({ viewer, value, body, client }) => {
    if (await keys.disconnect(viewer, value)) wake();
    await refresh(client, viewer, body.view?.id);
  });

  // Opens the key form from the message of a run that needs another key.
  onClick(app, repairAction, async (click) => {
    const found = await access.seeRequest(click.viewer, click.value);
    if ('sentence' in found) return answerPrivately(click, warn(found.sentence));
    const { connectionId, creatorId } = found.request;
    const serviceId = serviceOf(connectionId);
    const isOwn = isOwnKey(connectionId);
    const rejection = isOwn
      ? creatorId !== click.viewer.userId && `Only <@${creatorId}> can connect this key.`
      : await rights.denySettings(click.viewer, 'workspace');
    await (rejection
      ? answerPrivately(click, deny(rejection))
      : askForKey(click, serviceId, isOwn));
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
    await updateOpenModal(client, viewId, renderConnections(await listConnections(deps, viewer)));
  }

  function onByAdmin(actionId: string, act: (click: Clicked) => Promise<unknown>): void {
    onClick(app, actionId, async (click) => {
      const rejection = await rights.denySettings(click.viewer, 'workspace');
      await (rejection ? answerPrivately(click, deny(rejection)) : act(click));
    });
  }

  return forMembers(deps.promptRights, async (client, { triggerId, asker }) => {
    const view = renderConnections(await listConnections(deps, asker));
    await client.views.open({ trigger_id: triggerId, view });
  });
}

const warn = (sentence: string) => ({ text: `⚠️ ${sentence}` });
const deny = (rejection: string) => ({ text: `🔒 ${rejection}` });
const removed = 'This connection was removed. Ask a workspace admin.';

/** Lists the workspace's connections for this person. */
async function listConnections(
  { keys, connections, rights }: Deps,
  viewer: RunViewer,
): Promise<ConnectionsContent> {
  const [named, own, usual, rejection] = await Promise.all([
    keys.list(viewer.teamId),
    keys.ownKeys(viewer),
    connections.usualOfAll(),
    rights.denySettings(viewer, 'workspace'),
  ]);
  const operators = { id: operatorConnection, name: operatorConnection };
  return {
    isAdmin: rejection === undefined,
    usual: (await connections.nameOf(usual)) ?? operatorConnection,
    connections: [{ ...operators, baseUrl: undefined, problem: null }, ...named].map((each) => ({
      serviceId: each.id,
      name: each.name,
      host: each.baseUrl && new URL(each.baseUrl).host,
      problem: each.problem,
      ownKey: own.find(({ serviceId }) => serviceId === each.id),
    })),
  };
}
