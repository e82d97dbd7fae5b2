import type { ViewOutput } from '@slack/bolt';
import type { ModalView } from '@slack/types';
import type { WebClient } from '@slack/web-api';
import { withSoftTimeout } from 'base/time/soft-timeout';
import type { ConnectionClients } from '../../following/connection-clients.ts';
import { operatorConnection, ownKeyOf } from '../../requests/connection.ts';
import type { ConnectionChanges } from '../../store/connection-changes.ts';
import type { ConnectionKeys } from '../../store/connection-keys.ts';
import type { Settings } from '../../store/people/settings.ts';
import type { RunViewer } from '../../store/requests/visible-requests.ts';
import { connectionNameOf } from '../configuration/run-connections.ts';
import { runDefaults } from '../configuration/run-defaults.ts';
import { unlessLost } from '../connection/deliveries/acknowledge-in-time.ts';
import type { Listeners } from '../connection/deliveries/listeners.ts';
import type { Rights } from '../people/rights.ts';
import { ownerOf } from '../people/setting.ts';
import { updateOpenModal } from '../posting/modals.ts';
import { escapeText } from '../text/escape-text.ts';
import { findKeyErrors, findTypos } from './check-key.ts';
import {
  keyFormIds,
  readAddForm,
  readKey,
  readKeyPlace,
  renderAddForm,
  renderChecking,
  renderDone,
  renderKeyForm,
} from './key-form.ts';

export type SubmitKeyParts = {
  keys: Pick<ConnectionKeys, 'list'> & ConnectionChanges;
  clients: Pick<ConnectionClients, 'try' | 'operatorAddress'>;
  settings: Pick<Settings, 'change'>;
  rights: Pick<Rights, 'refuseOpen' | 'refuseSettings'>;
  ackWaitMs: number;
  /** Runs may have waited for a key. */
  wake(): void;
};

type Refresh = (client: WebClient, viewer: RunViewer, viewId: string | undefined) => Promise<void>;
type Outcome = { errors: Record<string, string> } | { done: string };

/**
 * Stores a key after the service took it. While that takes long, the form says so, and gets the answer later. Never kept
 * for later: the delivery contains the key.
 */
export function registerKeyForms(app: Listeners, parts: SubmitKeyParts, refresh: Refresh): void {
  on(keyFormIds.key, takeKey, (view, problem) => renderKeyForm(readKeyPlace(view), problem));
  on(keyFormIds.add, takeConnection, (view, problem) => renderAddForm(readAddForm(view), problem));

  function on(
    callbackId: string,
    take: (parts: SubmitKeyParts, viewer: RunViewer, view: ViewOutput) => Promise<Outcome>,
    renderAgain: (view: ViewOutput, problem: string) => ModalView,
  ): void {
    app.view(callbackId, async ({ ack, body, view, client, context }) => {
      const viewer = { teamId: context.teamId ?? '', userId: body.user.id };
      const working = take(parts, viewer, view);
      const inTime = await withSoftTimeout(working, parts.ackWaitMs);
      if (inTime && 'errors' in inTime)
        return ack({ response_action: 'errors', errors: inTime.errors });
      const now = inTime ? renderDone(inTime.done) : renderChecking();
      const isShown = await ack({ response_action: 'update', view: now }).then(yes, unlessLost);
      const outcome = inTime ?? (await working);
      const isDone = 'done' in outcome;
      const answer = isDone
        ? renderDone(outcome.done)
        : renderAgain(view, Object.values(outcome.errors).join(' '));
      if (!inTime || !isShown) await updateOpenModal(client, view.id, answer);
      if (!isDone) return;
      parts.wake();
      await refresh(client, viewer, view.previous_view_id ?? undefined);
    });
  }
}

const yes = () => true;

async function takeKey(
  { keys, clients, rights }: SubmitKeyParts,
  viewer: RunViewer,
  view: ViewOutput,
): Promise<Outcome> {
  const { serviceId, isOwn, name } = readKeyPlace(view);
  const apiKey = readKey(view);
  const typos = findTypos({ key: apiKey });
  if (typos.key) return { errors: { key: typos.key } };
  const isOperators = serviceId === operatorConnection;
  const [refusal, named] = await Promise.all([
    isOwn ? rights.refuseOpen(viewer) : rights.refuseSettings(viewer, 'workspace'),
    keys.list(viewer.teamId),
  ]);
  const service = named.find(({ id }) => id === serviceId);
  const baseUrl = isOperators && isOwn ? clients.operatorAddress : service?.baseUrl;
  if (refusal || !baseUrl) return { errors: { key: refusal ?? removed } };
  const connectionId = isOwn ? ownKeyOf(serviceId, viewer) : serviceId;
  const errors = await findKeyErrors(() => clients.try({ baseUrl, apiKey }, connectionId));
  // The address isn't in this form.
  if (errors) return { errors: { key: errors.key ?? errors.url ?? '' } };
  const isStored = isOwn
    ? await keys.connect(viewer, serviceId, { baseUrl, apiKey })
    : await keys.replaceKey(viewer, serviceId, apiKey);
  if (!isStored) return { errors: { key: removed } };
  const shown = escapeText(name, 60);
  return {
    done: isOwn
      ? `Your runs on *${shown}* use your own key from now on. Those that started with the workspace's key keep it.`
      : `*${shown}* uses the new key from now on, also for runs that are under way.`,
  };
}

async function takeConnection(
  parts: SubmitKeyParts,
  viewer: RunViewer,
  view: ViewOutput,
): Promise<Outcome> {
  const { keys, clients, rights } = parts;
  const { name, url: baseUrl, key: apiKey, isForAll } = readAddForm(view);
  const typos = findTypos({ name, url: baseUrl, key: apiKey });
  if (Object.keys(typos).length > 0) return { errors: typos };
  const refusal = await rights.refuseSettings(viewer, 'workspace');
  if (refusal) return { errors: { name: refusal } };
  const errors = await findKeyErrors(() => clients.try({ baseUrl, apiKey }, ''));
  if (errors) return { errors };
  const id = await keys.add(viewer, { name, baseUrl, apiKey });
  if (!id) return { errors: { name: taken } };
  if (isForAll) {
    const owner = ownerOf('workspace', viewer);
    await runDefaults.change(parts.settings, owner, viewer.userId, (defaults) => {
      // The environment is of the service before.
      const { environment_id: before, ...others } = defaults;
      const isSame = connectionNameOf(defaults) === name;
      return { ...others, ...(isSame && { environment_id: before }), connection: name };
    });
  }
  return {
    done: isForAll
      ? `*${name}* is added, and runs use it unless something else is chosen. Runs that are under way stay where they are.`
      : `*${name}* is added. Choose it in settings, in the form, or with \`connection=${name}\`.`,
  };
}

/** Runs in this workspace don't use a removed connection any longer. */
export async function forgetDefault(
  { settings }: Pick<SubmitKeyParts, 'settings'>,
  viewer: RunViewer,
  name: string | undefined,
): Promise<void> {
  const owner = ownerOf('workspace', viewer);
  if (name === undefined) return;
  await runDefaults.change(settings, owner, viewer.userId, (defaults) => {
    const { connection: _, ...others } = defaults;
    return connectionNameOf(defaults) === name ? others : undefined;
  });
}

const removed = 'This connection was removed.';
const taken =
  "There's a connection with this name already, or there are 20. Choose another name, or remove one.";
