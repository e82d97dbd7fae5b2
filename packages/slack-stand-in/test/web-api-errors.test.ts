import { describe, expect, it } from 'vitest';
import { parseManifest } from '../src/manifest.ts';
import * as a from './block-kit/fragments.ts';
import { callApi, callOk } from './support/call-api.ts';
import { testManifest } from './support/manifest.ts';
import { useWorkspace } from './support/use-workspace.ts';

const channel = 'C04ENGINEER';
const notThere = { channel, ts: '1.000000' };
const long = (length: number) => 'x'.repeat(length);
const longSection = { type: 'section', text: a.mrkdwn(long(3001)) };
const tooLong = '[ERROR] must be less than 3001 characters [json-pointer:/blocks/0/text/text]';
const richText = [{ type: 'rich_text', elements: [] }];

/** Calls and the errors that Slack returns for them. */
const rejections: [method: string, args: Record<string, unknown>, error: string][] = [
  ['chat.postMassage', { channel }, 'unknown_method'],
  ['chat.postMessage', { text: 'x' }, 'channel_not_found'],
  ['chat.postMessage', { channel: 'C00000000000', text: 'x' }, 'channel_not_found'],
  ['chat.postMessage', { channel: 'C04MANAGERS', text: 'x' }, 'channel_not_found'],
  ['chat.postMessage', { channel: 'C04RANDOM01', text: 'x' }, 'not_in_channel'],
  ['chat.postMessage', { channel: 'C05GENERAL1', text: 'x' }, 'channel_not_found'],
  ['chat.postMessage', { channel }, 'no_text'],
  ['chat.postMessage', { channel, blocks: 'no json' }, 'invalid_blocks_format'],
  ['chat.postMessage', { channel, text: 'x', metadata: { a: 1 } }, 'invalid_metadata_schema'],
  ['chat.postMessage', { channel, text: 'x', markdown_text: 'x' }, 'markdown_text_conflict'],
  ['chat.postMessage', { channel, text: 'x', thread: '1.2' }, 'invalid_arguments'],
  ['chat.postEphemeral', { channel, text: 'x', user: 'U09STRANGER' }, 'user_not_in_channel'],
  ['chat.update', { ...notThere, text: 'x' }, 'message_not_found'],
  ['chat.delete', notThere, 'message_not_found'],
  ['chat.getPermalink', { channel, message_ts: '1.000000' }, 'message_not_found'],
  ['conversations.history', { channel: 'C04RANDOM01' }, 'not_in_channel'],
  ['conversations.history', { channel, oldest: 'yesterday' }, 'invalid_ts_oldest'],
  ['conversations.history', { channel, cursor: 'bm9uZQ==' }, 'invalid_cursor'],
  ['conversations.replies', notThere, 'thread_not_found'],
  ['conversations.info', { channel: 'C04MANAGERS' }, 'channel_not_found'],
  ['conversations.list', { types: 'everything' }, 'invalid_types'],
  ['conversations.list', { limit: 5000 }, 'invalid_limit'],
  ['conversations.join', { channel: 'C04SECRETS1' }, 'method_not_supported_for_channel_type'],
  ['conversations.open', { users: '' }, 'users_list_not_supplied'],
  ['conversations.open', { users: 'U00000000000' }, 'user_not_found'],
  ['reactions.add', { channel, timestamp: '1.000000', name: 'eyes' }, 'message_not_found'],
  ['reactions.add', { channel, timestamp: 'now', name: 'eyes' }, 'bad_timestamp'],
  ['users.info', { user: 'U00000000000' }, 'user_not_found'],
  ['users.lookupByEmail', { email: 'nobody@example.com' }, 'users_not_found'],
  ['usergroups.users.list', { usergroup: 'S00000000000' }, 'no_such_subteam'],
  ['views.open', { trigger_id: '1.2.3', view: { type: 'modal' } }, 'invalid_arguments'],
  ['views.update', { view_id: 'V0', view: {} }, 'not_found'],
  ['views.publish', { user_id: 'U04ADALOVEL', view: { type: 'modal' } }, 'invalid_arguments'],
  [
    'functions.completeError',
    { function_execution_id: 'Fx0', error: 'x' },
    'function_execution_not_found',
  ],
  ['oauth.v2.access', { client_id: 'x', client_secret: 'x', code: 'x' }, 'invalid_client_id'],
  ['apps.uninstall', { client_id: 'x', client_secret: 'x' }, 'invalid_client_id'],
];

describe('the Web API rejects as Slack does', () => {
  const { startWorkspace } = useWorkspace();

  it('wrong calls', async () => {
    const workspace = await startWorkspace();
    for (const [method, args, error] of rejections) {
      const answer = await callApi(workspace, method, args);
      expect(answer, `${method} ${JSON.stringify(args)}`).toMatchObject({ ok: false, error });
    }
  });

  it('returns a pointer for every problem of blocks, in posts, updates and ephemeral messages', async () => {
    const workspace = await startWorkspace();
    const user = workspace.as('ada').person.id;
    const { ts } = await callOk(workspace, 'chat.postMessage', { channel, text: 'x' });
    const wrong = { channel, text: 'x', blocks: [longSection] };
    const calls = {
      'chat.postMessage': wrong,
      'chat.update': { ...wrong, ts },
      'chat.postEphemeral': { ...wrong, user },
    };
    for (const [method, args] of Object.entries(calls)) {
      expect(await callApi(workspace, method, args)).toMatchObject({
        ok: false,
        error: 'invalid_blocks',
        response_metadata: { messages: [tooLong] },
      });
    }
    const blocks = a.times(5, { type: 'section', text: a.mrkdwn(long(3000)) });
    expect(await callApi(workspace, 'chat.postMessage', { channel, text: 'x', blocks })).toEqual({
      ok: false,
      error: 'msg_blocks_too_long',
      response_metadata: expect.anything(),
    });
    const view = { type: 'home', blocks: [longSection] };
    expect(await callApi(workspace, 'views.publish', { user_id: user, view })).toMatchObject({
      error: 'invalid_arguments',
      response_metadata: {
        messages: [
          '[ERROR] failed to match all allowed schemas [json-pointer:/view]',
          tooLong.replace('/blocks', '/view/blocks'),
        ],
      },
    });
  });

  it('checks blocks with blocks.validate without a token', async () => {
    const workspace = await startWorkspace();
    const check = (args: object) => callApi(workspace, 'blocks.validate', { ...args }, '');
    expect(await check({ view: a.aHome })).toEqual({ ok: true });
    expect(await check({ blocks: [longSection] })).toMatchObject({ error: 'invalid_blocks' });
    expect(await check({})).toMatchObject({
      error: 'invalid_arguments',
      response_metadata: {
        messages: ['must provide exactly one of `blocks`, `view`, or `message`'],
      },
    });
  });

  it('rejects updates that Slack rejects', async () => {
    const workspace = await startWorkspace({ retryDelaysMs: [] });
    const update = (args: object) => callApi(workspace, 'chat.update', { channel, ...args });
    const { ts } = await callOk(workspace, 'chat.postMessage', {
      channel,
      text: 'x',
      blocks: richText,
    });
    expect(await update({ ts, text: long(4001) })).toMatchObject({ error: 'msg_too_long' });
    const plain = { ts, text: 'x', blocks: [{ type: 'divider' }] };
    expect(await update(plain)).toMatchObject({ error: 'block_mismatch' });
    const { message } = await workspace.as('ada').types(channel, 'mine');
    expect(await update({ ts: message?.ts, text: 'x' })).toMatchObject({
      error: 'cant_update_message',
    });
    await workspace.faults.inject({ name: 'edit_window_closed', channel, ts: String(ts) });
    expect(await update({ ts, text: 'x' })).toMatchObject({ error: 'edit_window_closed' });
  });

  it('has its own errors for each kind of token', async () => {
    const workspace = await startWorkspace({ retryDelaysMs: [] });
    const test = async (token?: string) => (await callApi(workspace, 'auth.test', {}, token)).error;
    expect(await test('')).toBe('not_authed');
    expect(await test('xoxb-invented')).toBe('invalid_auth');
    expect(await test(workspace.appToken)).toBe('not_allowed_token_type');
    await callOk(workspace, 'auth.revoke');
    expect(await test()).toBe('token_revoked');
  });

  it('returns the needed and the granted scopes', async () => {
    const manifest = parseManifest({
      ...testManifest,
      oauth_config: { scopes: { bot: ['chat:write', 'channels:read'] } },
    });
    const workspace = await startWorkspace({ manifest });
    expect(await callApi(workspace, 'users.info', { user: 'U04ADALOVEL' })).toEqual({
      ok: false,
      error: 'missing_scope',
      needed: 'users:read',
      provided: 'chat:write,channels:read',
    });
    const secret = { channel: 'C04SECRETS1' };
    expect(await callApi(workspace, 'conversations.info', secret)).toMatchObject({
      error: 'missing_scope',
      needed: 'groups:read',
    });
  });
});
