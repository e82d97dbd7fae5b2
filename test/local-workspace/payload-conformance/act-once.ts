import type { LocalWorkspace } from '../../../src/local-workspace/local-workspace.ts';
import * as a from '../block-kit/fragments.ts';

type Payload = Record<string, unknown>;

const channel = 'C04ENGINEER';
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

/**
 * Lets a person do everything once and gives what Slack sends to the app, by kind. Nobody listens there, and the
 * workspace notes what it would have sent all the same.
 */
export async function actOnce(workspace: LocalWorkspace): Promise<Map<string, Payload>> {
  const ada = workspace.as('ada');
  const found = new Map<string, Payload>();
  const sent = (name: string) =>
    workspace.traffic
      .recent()
      .filter((each) => each.direction === 'delivery' && each.name === name)
      .map(({ request }) => request as Payload);

  const openModal = async () => {
    await ada.types(channel, '/try it');
    const { trigger_id } = sent('slash_commands').at(-1) ?? {};
    await callApi(workspace, 'views.open', { trigger_id, view: modal });
  };
  const { ts } = await callApi(workspace, 'chat.postMessage', { channel, text: 'x', blocks });
  const message = { channelId: channel, messageTs: String(ts) };

  await openModal();
  await ada.fills({ press: 'v' });
  // Nobody answers with options; what was asked is all that matters here.
  await ada.searches('search', 'q').catch(() => undefined);
  await ada.submits();
  await ada.closesModal();
  await ada.clicks(message, 'press');
  await ada.usesMessageShortcut('on-message', { channelId: channel, ts: message.messageTs });
  await ada.usesGlobalShortcut('anywhere');
  await callApi(workspace, 'views.publish', { user_id: ada.person.id, view: { ...a.aHome } });
  await ada.opensHome();
  await ada.types(channel, '@test-app see https://runs.example.com/1');
  await ada.types(ada.directChannelId, 'hello');
  await callApi(workspace, 'chat.update', { channel, ts, text: 'y' });
  await callApi(workspace, 'chat.delete', { channel, ts });

  for (const payload of sent('slash_commands')) found.set('slash_command', payload);
  for (const payload of sent('interactive')) found.set(kindOfInteraction(payload), payload);
  for (const payload of sent('events_api')) found.set(kindOfEvent(payload), payload);
  return found;
}

function kindOfInteraction({ type, view }: Payload): string {
  const place = type === 'block_actions' ? (view ? '.view' : '.message') : '';
  return `${String(type)}${place}`;
}

function kindOfEvent({ event }: Payload): string {
  const { type, subtype, channel_type: channelType } = event as Payload;
  return [type, subtype ?? (channelType === 'im' ? 'im' : undefined)].filter(Boolean).join('.');
}

async function callApi(workspace: LocalWorkspace, method: string, args: Payload): Promise<Payload> {
  const response = await fetch(workspace.apiUrl + method, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${workspace.botToken}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify(args),
  });
  const answer = (await response.json()) as Payload;
  if (!answer['ok']) throw new Error(`${method}: ${JSON.stringify(answer)}`);
  return answer;
}
