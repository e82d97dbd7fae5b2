import { describe, expect, it } from 'vitest';
import type { LocalWorkspace } from '../../src/index.ts';
import { parseManifest } from '../../src/manifest.ts';
import { processingMs, shownStatus } from '../../src/world/agent-sessions.ts';
import { callApi, callOk } from '../support/call-api.ts';
import { testManifest } from '../support/manifest.ts';
import { useWorkspace } from '../support/use-workspace.ts';

const channel = 'C04ENGINEER';
const setStatus = 'agents.sessions.setStatus';

const without = (event: string) => {
  const { bot_events } = testManifest.settings.event_subscriptions;
  const left = bot_events.filter((each) => each !== event);
  return parseManifest({
    ...testManifest,
    settings: { ...testManifest.settings, event_subscriptions: { bot_events: left } },
  });
};
const { agent_view: _, ...features } = testManifest.features;
const undeclared = parseManifest({ ...testManifest, features });

const eventsOf = (workspace: LocalWorkspace) =>
  workspace.traffic
    .recent()
    .filter(({ name }) => name === 'events_api')
    .map(({ request }) => Object(request).event)
    .filter(({ type }) => type === 'agent_session_stopped');

describe('an agent session', () => {
  const { startWorkspace } = useWorkspace();

  async function start(manifest = testManifest) {
    const workspace = await startWorkspace({ retryDelaysMs: [], manifest });
    const { ts } = await callOk(workspace, 'chat.postMessage', { channel, text: 'run' });
    const args = { channel_id: channel, thread_ts: String(ts), status: 'processing' };
    return { workspace, ts: String(ts), args };
  }

  it('has the status that the app sets, and keeps its first title', async () => {
    const { workspace, ts, args } = await start();
    const first = await callOk(workspace, setStatus, { ...args, title: 'Count' });
    expect(first).toMatchObject({ agent_status: 'processing', title: 'Count' });
    const second = await callOk(workspace, setStatus, {
      ...args,
      status: 'closed',
      title: 'Other',
    });
    expect(second).toMatchObject({ agent_status: 'closed', title: 'Count' });
    expect(workspace.sessionStatus(channel, ts)).toBe('closed');
  });

  it('no longer shows work after an hour', () => {
    const session = { channelId: channel, threadTs: '1.0', title: '', setAtMs: 1 } as const;
    const working = { ...session, status: 'processing' } as const;
    expect(shownStatus(working, processingMs)).toBe('processing');
    expect(shownStatus(working, processingMs + 1)).toBe('active');
    expect(shownStatus({ ...session, status: 'suspended' }, processingMs + 1)).toBe('suspended');
  });

  it('sends an event when a person presses Stop, and stays as it is', async () => {
    const { workspace, ts, args } = await start();
    await callOk(workspace, setStatus, args);
    const ada = workspace.as('ada');
    await ada.stops(channel, ts);
    expect(eventsOf(workspace)).toEqual([
      {
        type: 'agent_session_stopped',
        channel,
        user: ada.person.id,
        thread_ts: ts,
        streaming_message_ts: [],
        event_ts: expect.any(String),
      },
    ]);
    expect(workspace.sessionStatus(channel, ts)).toBe('processing');
    await callOk(workspace, setStatus, { ...args, status: 'suspended' });
    await expect(ada.stops(channel, ts)).rejects.toThrow('nothing to stop');
  });

  it('has no Stop, and a warning, if the app does not hear of it', async () => {
    const { workspace, ts, args } = await start(without('agent_session_stopped'));
    const answer = await callOk(workspace, setStatus, args);
    expect(answer).toMatchObject({ warning: 'missing_agent_session_stopped_event_subscription' });
    await expect(workspace.as('ada').stops(channel, ts)).rejects.toThrow('nothing to stop');
  });

  it('needs an app that is declared as an agent', async () => {
    const { workspace, args } = await start(undeclared);
    expect(await callApi(workspace, setStatus, args)).toMatchObject({ error: 'not_authorized' });
  });

  it.each([
    [{ channel_id: 'C04MANAGERS' }, 'channel_not_found'],
    [{ channel_id: 'C04RANDOM01' }, 'not_authorized'],
    [{ thread_ts: '' }, 'thread_ts_required'],
    [{ thread_ts: '1.000001' }, 'invalid_arguments'],
    [{ status: 'busy' }, 'invalid_status'],
    [{ title: 'x'.repeat(201) }, 'invalid_arguments'],
    [{ initiator_user_id: 'U09STRANGER' }, 'user_not_found'],
    [{ mood: 'good' }, 'invalid_arguments'],
  ])('with %o is rejected with %s', async (change, error) => {
    const { workspace, args } = await start();
    expect(await callApi(workspace, setStatus, { ...args, ...change })).toMatchObject({ error });
  });

  it('stays possible in a thread that lost its first message, while it has replies', async () => {
    const { workspace, ts, args } = await start();
    const reply = await callOk(workspace, 'chat.postMessage', {
      channel,
      text: 'r',
      thread_ts: ts,
    });
    await callOk(workspace, 'chat.delete', { channel, ts });
    await callOk(workspace, setStatus, args);
    expect(workspace.sessionStatus(channel, ts)).toBe('processing');
    await callOk(workspace, 'chat.delete', { channel, ts: String(reply['ts']) });
    expect(await callApi(workspace, setStatus, args)).toMatchObject({ error: 'invalid_arguments' });
  });

  it('starts at the first message of a thread', async () => {
    const { workspace, ts, args } = await start();
    const reply = await callOk(workspace, 'chat.postMessage', {
      channel,
      text: 'r',
      thread_ts: ts,
    });
    const wrong = { ...args, thread_ts: reply['ts'] };
    expect(await callApi(workspace, setStatus, wrong)).toMatchObject({
      error: 'invalid_arguments',
    });
  });
});

describe('suggested prompts', () => {
  const { startWorkspace } = useWorkspace();
  const method = 'assistant.threads.setSuggestedPrompts';
  const prompts = [{ title: 'Count', message: 'count the files' }];

  it.each([
    [{ thread_ts: '1.0' }, 'invalid_thread_ts'],
    [{ channel_id: channel }, 'channel_not_found'],
    [{ prompts: [] }, 'invalid_arguments'],
    [{ prompts: Array.from({ length: 5 }, () => prompts[0]) }, 'invalid_arguments'],
    [{ prompts: [{ title: 'Count' }] }, 'invalid_arguments'],
  ])('with %o are rejected with %s', async (change, error) => {
    const workspace = await startWorkspace({ retryDelaysMs: [] });
    const args = { channel_id: workspace.as('ada').directChannelId, prompts };
    expect(await callApi(workspace, method, { ...args, ...change })).toMatchObject({ error });
  });

  it('need an app that is declared as an agent', async () => {
    const workspace = await startWorkspace({ retryDelaysMs: [], manifest: undeclared });
    const args = { channel_id: workspace.as('ada').directChannelId, prompts };
    expect(await callApi(workspace, method, args)).toMatchObject({ error: 'not_agent_app' });
  });
});
