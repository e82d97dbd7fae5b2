import type { LocalWorkspace } from '../../src/index.ts';
import * as a from '../block-kit/fragments.ts';
import { callOk } from '../support/call-api.ts';

type Payload = Record<string, unknown>;

const channel = 'C04ENGINEER';
const random = 'C04RANDOM01';
const button = { ...a.aButton, action_id: 'press', value: 'v' };
const search = { type: 'external_select', action_id: 'search', min_query_length: 0 };
const blocks = [{ type: 'actions', block_id: 'b', elements: [button, search] }];
const input = { ...a.anInput, element: { ...a.anInput.element, initial_value: 'x' } };
const modal = {
  ...a.aModal,
  callback_id: 'ask',
  notify_on_close: true,
  blocks: [...blocks, input],
};

/** Causes every kind of delivery once. No app is connected, but the workspace records the deliveries. */
export async function liveWholeLife(workspace: LocalWorkspace): Promise<void> {
  await useModals(workspace);
  await useMessages(workspace);
  await workspace.as('alan').joins('C04PARTNERS');
  await workspace.as('ada').invitesApp(random);
  await workspace.as('ada').removesApp(random);
  await workspace.as('alan').leaves('C04PARTNERS');
  await workspace.runsWorkflowStep('run-agent', { prompt: 'x' });
  const { clientId: client_id, clientSecret: client_secret } = workspace;
  await callOk(workspace, 'apps.uninstall', { client_id, client_secret });
  await workspace.settled();
}

async function useModals(workspace: LocalWorkspace): Promise<void> {
  const ada = workspace.as('ada');
  const open = async (method: 'views.open' | 'views.push') => {
    const trigger_id = listDeliveries(workspace).at(-1)?.['trigger_id'];
    await callOk(workspace, method, { trigger_id, view: modal });
  };
  await ada.types(channel, '/try it');
  await open('views.open');
  await ada.fills({ press: 'v' });
  await open('views.push');
  // The search fails because no app returns options, but only the request matters here.
  await ada.searches('search', 'q').catch(() => undefined);
  await ada.submits();
  await ada.closesModal({ all: true });
  await ada.usesGlobalShortcut('anywhere');
  await callOk(workspace, 'views.publish', { user_id: ada.person.id, view: a.aHome });
  await ada.opensHome();
}

async function useMessages(workspace: LocalWorkspace): Promise<void> {
  const ada = workspace.as('ada');
  const post = (args: Payload) => callOk(workspace, 'chat.postMessage', { channel, ...args });
  const ts = String((await post({ text: 'x', blocks })).ts);
  await post({ text: 'x', thread_ts: ts, reply_broadcast: true });
  await ada.clicks({ channelId: channel, messageTs: ts }, 'press');
  await ada.usesMessageShortcut('on-message', { channelId: channel, ts });
  await ada.reacts(channel, ts, 'tada');
  await ada.unreacts(channel, ts, 'tada');
  await ada.types(channel, '@test-app see https://runs.example.com/1');
  await ada.types(ada.directChannelId, 'hello');
  const webhook = workspace.as('Alertmanager').incomingWebhook('C04ALERTS01');
  await fetch(webhook, { method: 'POST', body: JSON.stringify({ text: 'x', username: 'me' }) });
  await callOk(workspace, 'chat.update', { channel, ts, text: 'y' });
  await callOk(workspace, 'chat.delete', { channel, ts });
}

const listDeliveries = (workspace: LocalWorkspace) =>
  workspace.traffic
    .recent()
    .filter(({ direction }) => direction === 'delivery')
    .map(({ request }) => request as Payload);

/** Returns one delivery of each kind. */
export function deliveriesByKind(workspace: LocalWorkspace): Map<string, Payload> {
  return new Map(listDeliveries(workspace).map((payload) => [kindOf(payload), payload]));
}

function kindOf({ type, view, event, command }: Payload): string {
  if (command !== undefined) return 'slash_command';
  if (type === 'block_actions') return view ? 'block_actions.view' : 'block_actions.message';
  if (type !== 'event_callback') return String(type);
  const { type: name, subtype, channel_type: place } = event as Payload;
  return [name, subtype ?? (place === 'im' ? 'im' : undefined)].filter(Boolean).join('.');
}
