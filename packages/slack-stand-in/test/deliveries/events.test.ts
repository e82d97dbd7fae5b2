import { describe, expect, it } from 'vitest';
import type { LocalWorkspace } from '../../src/index.ts';
import { parseManifest } from '../../src/manifest.ts';
import { callOk } from '../support/call-api.ts';
import { distributedManifest } from '../support/manifest.ts';
import { useWorkspace } from '../support/use-workspace.ts';

const engineering = 'C04ENGINEER';

/** Returns short names of the sent events: type, subtype and a detail. */
function sentEvents(workspace: LocalWorkspace): string[] {
  return workspace.traffic
    .recent()
    .filter(({ name }) => name === 'events_api')
    .map(({ request }) => {
      const { type, subtype, text } = Object(Object(request).event);
      return [type, subtype, text].filter(Boolean).join(' ');
    });
}

describe('events', () => {
  const { startWorkspace } = useWorkspace();
  const start = () => startWorkspace({ retryDelaysMs: [] });

  it('are two for a mention, and one in a direct message', async () => {
    const workspace = await start();
    const ada = workspace.as('ada');
    const bot = `<@${workspace.bot.userId}>`;
    await ada.types(engineering, '@test-app go');
    await ada.types(ada.directChannelId, '@test-app go');
    expect(sentEvents(workspace).toSorted()).toEqual([
      `app_mention ${bot} go`,
      `message ${bot} go`,
      `message ${bot} go`,
    ]);
  });

  it("are also sent for the app's own messages and reactions", async () => {
    const workspace = await start();
    const channel = engineering;
    const { ts } = await callOk(workspace, 'chat.postMessage', { channel, text: 'mine' });
    await callOk(workspace, 'chat.update', { channel, ts, text: 'mine' });
    await callOk(workspace, 'reactions.add', { channel, timestamp: ts, name: 'eyes' });
    await callOk(workspace, 'chat.delete', { channel, ts });
    await workspace.settled();
    expect(sentEvents(workspace)).toEqual([
      'message mine',
      'message message_changed',
      'reaction_added',
      'message message_deleted',
    ]);
  });

  it('are not sent from channels without the app, nor for ephemeral messages', async () => {
    const workspace = await start();
    const ada = workspace.as('ada');
    await ada.types('C04RANDOM01', '@test-app hello?');
    await ada.types('C04MANAGERS', 'secret');
    const ephemeral = { channel: engineering, user: ada.person.id, text: 'psst' };
    await callOk(workspace, 'chat.postEphemeral', ephemeral);
    await workspace.settled();
    expect(sentEvents(workspace)).toEqual([]);
  });

  it('are sent again when a person edits a message that mentions the app', async () => {
    const workspace = await start();
    const ada = workspace.as('ada');
    const { message } = await ada.types(engineering, 'please');
    await ada.edits(engineering, String(message?.ts), '@test-app please');
    const { request } = workspace.traffic.recent().at(-1) ?? {};
    expect(Object(request).event).toMatchObject({
      type: 'app_mention',
      ts: message?.ts,
      edited: { user: ada.person.id },
    });
  });

  it('are only sent if the manifest subscribes to them', async () => {
    const settings = { event_subscriptions: { bot_events: ['app_mention'] } };
    const manifest = parseManifest({ ...distributedManifest, settings });
    const workspace = await startWorkspace({ manifest, retryDelaysMs: [] });
    await workspace.as('ada').types(engineering, '@test-app go');
    await workspace.as('ada').opensHome();
    expect(sentEvents(workspace)).toHaveLength(1);
  });

  it('are sent when people join, the app is invited, and people edit messages', async () => {
    const workspace = await start();
    const [ada, guest] = [workspace.as('ada'), workspace.as('sam')];
    await ada.invitesApp('C04RANDOM01');
    const { message } = await guest.types(engineering, 'first');
    await guest.edits(engineering, String(message?.ts), 'second');
    await guest.reacts(engineering, String(message?.ts), 'eyes');
    await guest.unreacts(engineering, String(message?.ts), 'eyes');
    expect(sentEvents(workspace)).toEqual([
      expect.stringMatching(/^message channel_join /),
      'member_joined_channel',
      'message first',
      'message message_changed',
      'reaction_added',
      'reaction_removed',
    ]);
  });

  it('are sent when people leave and when the app is removed', async () => {
    const bot_events = ['member_joined_channel', 'member_left_channel', 'channel_left'];
    const settings = { event_subscriptions: { bot_events } };
    const manifest = parseManifest({ ...distributedManifest, settings });
    const workspace = await startWorkspace({ manifest, retryDelaysMs: [] });
    await workspace.as('alan').leaves(engineering);
    await workspace.as('ada').invites(engineering, workspace.as('alan').person.id);
    await workspace.as('ada').removesApp(engineering);
    expect(sentEvents(workspace)).toEqual([
      'member_left_channel',
      'member_joined_channel',
      'channel_left',
    ]);
  });

  it('are sent when a user group changes', async () => {
    const names = ['subteam_updated', 'subteam_members_changed'];
    const bot_events = [...names, 'subteam_self_added', 'subteam_self_removed'];
    const settings = { event_subscriptions: { bot_events } };
    const manifest = parseManifest({ ...distributedManifest, settings });
    const workspace = await startWorkspace({ manifest, retryDelaysMs: [] });
    const [ada, alan] = [workspace.as('ada').person.id, workspace.as('alan').person.id];
    await workspace.changesGroup('S04ONCALL01', [ada, alan, workspace.bot.userId]);
    await workspace.changesGroup('S04ONCALL01', [ada]);
    expect(sentEvents(workspace)).toEqual([
      ...[...names, 'subteam_self_added'],
      ...[...names, 'subteam_self_removed'],
    ]);
    const [updated, changed] = workspace.traffic
      .recent()
      .filter(({ name }) => name === 'events_api')
      .map(({ request }) => Object(request).event);
    expect(updated.subteam).toMatchObject({ id: 'S04ONCALL01', handle: 'oncall', user_count: 3 });
    expect(changed).toMatchObject({
      subteam_id: 'S04ONCALL01',
      added_users: [ada, workspace.bot.userId],
      added_users_count: 2,
      removed_users: [workspace.as('grace').person.id],
    });
  });

  it("are sent for links to the app's domains, which then get a preview", async () => {
    const workspace = await start();
    const url = 'https://runs.example.com/r/1';
    const { message } = await workspace
      .as('ada')
      .types(engineering, `see ${url} and https://x.org`);
    const { request } = workspace.traffic.recent().at(-1) ?? {};
    expect(Object(request).event).toMatchObject({
      type: 'link_shared',
      links: [{ url, domain: 'runs.example.com' }],
      message_ts: message?.ts,
      is_bot_user_member: true,
    });
    const { unfurl_id } = Object(request).event;
    const source = 'conversations_history';
    const text = { type: 'plain_text', text: 'Open' };
    const button = { type: 'button', action_id: 'open', text };
    const unfurls = { [url]: { blocks: [{ type: 'actions', elements: [button] }] } };
    await callOk(workspace, 'chat.unfurl', { unfurl_id, source, unfurls });
    const [shown] = workspace.messagesIn(engineering);
    expect(shown).toMatchObject({ attachments: [{ app_unfurl_url: url, is_app_unfurl: true }] });
    expect(shown?.editedTs).toBeUndefined();

    const place = { channelId: engineering, messageTs: String(message?.ts) };
    await workspace.as('grace').clicks(place, 'open');
    const click = Object(workspace.traffic.recent().at(-1)?.request);
    expect(click).toMatchObject({
      container: { type: 'message_attachment', attachment_id: 1, app_unfurl_url: url },
      app_unfurl: { app_unfurl_url: url },
    });
    expect(click).not.toHaveProperty('message');
  });

  it('are sent when the app is removed from the team', async () => {
    const workspace = await start();
    await workspace.faults.inject({ name: 'app_uninstalled' });
    expect(sentEvents(workspace).toSorted()).toEqual(['app_uninstalled', 'tokens_revoked']);
    expect((await workspace.as('ada').types(engineering, '/try')).outcome).toMatchObject({
      error: '/try is not a valid command',
    });
  });

  it('start a workflow step, which ends once', async () => {
    const workspace = await start();
    await expect(workspace.runsWorkflowStep('run-agent', {})).rejects.toThrow(
      '"prompt" is required',
    );
    const execution = await workspace.runsWorkflowStep('run-agent', { prompt: 'go' });
    const ended = { function_execution_id: execution.id, outputs: { run: 'r1' } };
    await callOk(workspace, 'functions.completeSuccess', ended, execution.token);
    expect(execution).toMatchObject({ status: 'succeeded', outputs: { run: 'r1' } });
    const again = await fetch(`${workspace.apiUrl}functions.completeSuccess`, {
      method: 'POST',
      headers: { authorization: `Bearer ${workspace.botToken}` },
      body: new URLSearchParams({ ...ended, outputs: '{"run":"r2"}' }),
    });
    expect(await again.json()).toMatchObject({ error: 'execution_not_in_running_state' });
  });
});
