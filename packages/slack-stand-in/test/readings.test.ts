import { describe, expect, it } from 'vitest';
import { parseManifest } from '../src/manifest.ts';
import { guestsOut } from '../src/people/outcome.ts';
import type { LocalWorkspaceOptions } from '../src/workspace.ts';
import { callApi, callOk } from './support/call-api.ts';
import { testManifest } from './support/manifest.ts';
import { useWorkspace } from './support/use-workspace.ts';

const channel = 'C04ENGINEER';
const { agent_view: _, ...features } = testManifest.features;
const withoutAgent = parseManifest({ ...testManifest, features });

const { startWorkspace: startUsual } = useWorkspace();
const startWorkspace = (options: Partial<LocalWorkspaceOptions> = {}) =>
  startUsual({ retryDelaysMs: [], ...options });

describe('direct messages with an agent', () => {
  it('name themselves as their thread, in events, clicks and history', async () => {
    const workspace = await startWorkspace();
    const ada = workspace.as('ada');
    const direct = ada.directChannelId;
    const events = () =>
      workspace.traffic.recent().map(({ request }) => Object(request).event ?? Object(request));
    const { message } = await ada.types(direct, 'hello');
    const ts = message?.ts;
    expect(events().at(-1)).toMatchObject({ type: 'message', ts, thread_ts: ts });
    const history = await callOk(workspace, 'conversations.history', { channel: direct });
    expect(history['messages']).toMatchObject([{ ts, thread_ts: ts }]);
    expect(Object(history['messages'])[0]).not.toHaveProperty('reply_count');
    const blocks = [{ type: 'actions', elements: [button] }];
    const posted = await callOk(workspace, 'chat.postMessage', { channel: direct, text, blocks });
    await ada.clicks({ channelId: direct, messageTs: String(posted['ts']) }, 'go');
    expect(events().at(-1)).toMatchObject({ container: { thread_ts: posted['ts'] } });
    await ada.types(channel, 'hello');
    expect(events().at(-1)).not.toHaveProperty('thread_ts');
  });

  it('do not keep ephemeral messages, but those that answer a command', async () => {
    const workspace = await startWorkspace();
    const ada = workspace.as('ada');
    const direct = ada.directChannelId;
    const user = ada.person.id;
    for (const place of [direct, channel])
      await callOk(workspace, 'chat.postEphemeral', { channel: place, user, text });
    expect(ada.sees(direct)).toEqual([]);
    expect(ada.passing(direct)).toMatchObject([{ text }]);
    expect(ada.sees(channel)).toMatchObject([{ text, visibleTo: user }]);
    await ada.types(direct, '/try');
    const { response_url: url } = Object(workspace.traffic.recent().at(-1)?.request);
    await fetch(url, { method: 'POST', body: JSON.stringify({ text: 'done' }) });
    expect(ada.sees(direct)).toMatchObject([{ text: 'done', visibleTo: user }]);
  });

  it.each([
    ['an app that is no agent', { manifest: withoutAgent }],
    ['the option', { directThreads: false }],
  ])('are ordinary messages with %s', async (__, options) => {
    const workspace = await startWorkspace(options);
    const ada = workspace.as('ada');
    const direct = ada.directChannelId;
    await ada.types(direct, 'hello');
    await callOk(workspace, 'chat.postEphemeral', { channel: direct, user: ada.person.id, text });
    expect(ada.sees(direct)).toHaveLength(2);
    const { messages } = await callOk(workspace, 'conversations.history', { channel: direct });
    expect(Object(messages)[0]).not.toHaveProperty('thread_ts');
  });
});

const text = 'only for you';
const button = { type: 'button', action_id: 'go', text: { type: 'plain_text', text: 'Go' } };

describe('guests', () => {
  it('reach an agent, unless the workspace keeps them out', async () => {
    const open = await startWorkspace();
    expect((await open.as('sam').types(channel, '/try')).outcome).not.toMatchObject(rejected);
    const closed = await startWorkspace({ guestsAreOut: true });
    const sam = closed.as('sam');
    expect((await sam.types(channel, '/try')).outcome).toMatchObject(rejected);
    expect((await sam.types(sam.directChannelId, 'hi')).outcome).toMatchObject(rejected);
    expect(await sam.usesGlobalShortcut('anywhere')).toMatchObject(rejected);
    await expect(sam.opensHome()).rejects.toThrow(guestsOut);
    await expect(sam.opensMessages()).rejects.toThrow(guestsOut);
    expect((await sam.types(channel, 'hello')).message).toBeDefined();
    expect((await closed.as('ada').types(channel, '/try')).outcome).not.toMatchObject(rejected);
  });
});

const rejected = { error: guestsOut };

describe('the token of a workflow step', () => {
  const method = 'functions.completeSuccess';
  const start = async (options: Partial<LocalWorkspaceOptions>) => {
    const workspace = await startWorkspace(options);
    const step = await workspace.runsWorkflowStep('run-agent', { prompt: 'go' });
    const ended = { function_execution_id: step.id, outputs: { run: 'R1' } };
    return { workspace, step, ended };
  };

  it('is the only one that ends it, if the workspace wants that', async () => {
    const { workspace, step, ended } = await start({ needsStepToken: true });
    const other = await workspace.runsWorkflowStep('run-agent', { prompt: 'go' });
    for (const token of [workspace.botToken, other.token])
      expect(await callApi(workspace, method, ended, token)).toMatchObject(denied);
    await callOk(workspace, method, ended, step.token);
    expect(step.status).toBe('succeeded');
    expect(await callApi(workspace, 'auth.test', {}, step.token)).toMatchObject(invalid);
  });

  it('expires, while that of the app still ends the step', async () => {
    const { workspace, step, ended } = await start({ stepTokenMs: 0 });
    expect(await callApi(workspace, method, ended, step.token)).toMatchObject(invalid);
    await callOk(workspace, method, ended);
    expect(step.status).toBe('succeeded');
  });
});

const denied = { error: 'access_denied' };
const invalid = { error: 'invalid_auth' };
