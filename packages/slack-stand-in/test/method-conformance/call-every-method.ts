import type { LocalWorkspace } from '../../src/index.ts';
import { aHome, aModal } from '../block-kit/fragments.ts';
import { anEntity, entityDetails } from '../support/an-entity.ts';
import { callOk } from '../support/call-api.ts';

const channel = 'C04ENGINEER';
const blocks = [{ type: 'divider' }];
const metadata = { event_type: 'run', event_payload: { id: 'r1' } };

/** Calls every method once, with success. No app is connected. */
export async function callEveryMethod(workspace: LocalWorkspace): Promise<void> {
  const call = (method: string, args: Record<string, unknown> = {}) =>
    callOk(workspace, method, args);
  const ada = workspace.as('ada');
  const user = ada.person.id;

  await call('api.test');
  await call('auth.test');
  await call('auth.teams.list', { limit: 1 });
  await callOk(workspace, 'apps.connections.open', {}, workspace.appToken);
  await call('blocks.validate', { blocks });
  await call('team.info');
  await call('users.info', { user, include_locale: true });
  await call('users.list', { limit: 2 });
  await call('users.lookupByEmail', { email: 'ada@example.com' });
  await call('bots.info', { bot: workspace.bot.botId });
  await call('usergroups.list', { include_users: true, include_count: true });
  await call('usergroups.users.list', { usergroup: 'S04ONCALL01' });

  await call('conversations.list', { types: 'public_channel,private_channel,im', limit: 3 });
  await call('users.conversations', { user });
  await call('conversations.info', { channel, include_num_members: true });
  await call('conversations.members', { channel, limit: 2 });
  await call('conversations.join', { channel: 'C04RANDOM01' });
  await call('conversations.leave', { channel: 'C04RANDOM01' });
  await call('conversations.open', { users: user, return_im: true });
  await callAboutMessages(workspace);
  await callAboutFiles(workspace);

  const opened = await triggerOf(workspace);
  await call('views.open', { trigger_id: opened, view: aModal });
  const view_id = ada.modal()?.id;
  await call('views.update', { view_id, view: aModal, hash: ada.modal()?.hash });
  await call('views.push', { trigger_id: await triggerOf(workspace), view: aModal });
  await call('views.publish', { user_id: user, view: aHome });

  const [first, second] = [await runStep(workspace), await runStep(workspace)];
  await call('functions.completeSuccess', { function_execution_id: first, outputs: { run: 'r' } });
  await call('functions.completeError', { function_execution_id: second, error: 'no' });

  await callAboutInstalling(workspace);
}

async function callAboutFiles(workspace: LocalWorkspace): Promise<void> {
  const upload = { filename: 'a.md', length: 3 };
  const { file_id: id, upload_url: url } = await callOk(
    workspace,
    'files.getUploadURLExternal',
    upload,
  );
  await fetch(String(url), { method: 'POST', body: 'abc' });
  const files = [{ id, title: 'A' }];
  await callOk(workspace, 'files.completeUploadExternal', { files, channel_id: channel });
  await callOk(workspace, 'files.info', { file: id });
  await callOk(workspace, 'files.delete', { file: id });
}

async function callAboutMessages(workspace: LocalWorkspace): Promise<void> {
  const call = (method: string, args: Record<string, unknown> = {}) =>
    callOk(workspace, method, args);
  const ada = workspace.as('ada');
  const user = ada.person.id;
  const { ts } = await call('chat.postMessage', { channel, text: 'x', blocks, metadata });
  await call('chat.postMessage', { channel, text: 'y', thread_ts: ts, reply_broadcast: true });
  await call('chat.postEphemeral', { channel, user, text: 'x' });
  await call('assistant.threads.setSuggestedPrompts', {
    channel_id: ada.directChannelId,
    title: 'Try',
    prompts: [{ title: 'Count', message: 'count the files' }],
  });
  await call('agents.sessions.setStatus', {
    channel_id: channel,
    thread_ts: ts,
    status: 'processing',
    title: 'Count',
    initiator_user_id: user,
  });
  await call('chat.update', { channel, ts, text: 'z', metadata });
  await call('chat.getPermalink', { channel, message_ts: ts });
  await call('reactions.add', { channel, timestamp: ts, name: 'eyes' });
  await call('reactions.get', { channel, timestamp: ts, full: true });
  await call('reactions.remove', { channel, timestamp: ts, name: 'eyes' });
  await call('conversations.history', { channel, limit: 1, include_all_metadata: true });
  await call('conversations.replies', { channel, ts });
  await call('chat.delete', { channel, ts });
  const url = 'https://runs.example.com/1';
  const { message } = await ada.types(channel, `see ${url}`);
  const unfurls = { [url]: { blocks } };
  await call('chat.unfurl', { channel, ts: message?.ts, unfurls });
  await call('chat.unfurl', { channel, ts: message?.ts, metadata: { entities: [anEntity] } });
  await ada.opensEntity(channel, message?.ts ?? '');
  const { event } = Object(workspace.traffic.recent().at(-1)?.request);
  await call('entity.presentDetails', { trigger_id: event.trigger_id, metadata: entityDetails });
}

/** Calls the methods about installing. They come last, because one removes the app. */
async function callAboutInstalling(workspace: LocalWorkspace): Promise<void> {
  const { clientId: client_id, clientSecret: client_secret } = workspace;
  const redirect_uri = 'http://127.0.0.1/slack/oauth_redirect';
  const code = workspace.grantCode({
    userId: workspace.as('ada').person.id,
    scopes: ['chat:write'],
    redirectUri: redirect_uri,
  });
  const given = { client_id, client_secret, code, redirect_uri };
  const { access_token } = await callOk(workspace, 'oauth.v2.access', given);
  await callOk(workspace, 'auth.revoke', {}, String(access_token));
  await callOk(workspace, 'apps.uninstall', { client_id, client_secret }, workspace.installAgain());
}

async function triggerOf(workspace: LocalWorkspace): Promise<unknown> {
  await workspace.as('ada').types(channel, '/try');
  const last = workspace.traffic.recent().findLast(({ name }) => name === 'slash_commands');
  return Object(last?.request)['trigger_id'];
}

async function runStep(workspace: LocalWorkspace): Promise<string> {
  const { id } = await workspace.runsWorkflowStep('run-agent', { prompt: 'x' });
  return id;
}
