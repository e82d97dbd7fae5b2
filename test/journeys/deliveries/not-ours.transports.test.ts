import type { Delivery } from 'slack-stand-in';
import { expect, it } from 'vitest';
import { createLineLogger } from '../../../packages/base/test/support/line-logger.ts';
import { type JsonObject, poorer } from '../../support/poorer-payloads.ts';
import { general, startProduct, textOf } from '../../support/product/product.ts';

async function startedBot() {
  const { logger, lines } = createLineLogger();
  const { workspace, startBot, ada } = await startProduct();
  await startBot({}, logger);
  /** Clears the log lines, then delivers the payload to this workspace. */
  const deliver = ({ kind, payload }: Delivery) => {
    lines.length = 0;
    const sent = JSON.stringify(payload).replaceAll('"T1"', JSON.stringify(workspace.team.id));
    return workspace.deliver({ kind, payload: JSON.parse(sent) });
  };
  const said = () => lines.map(({ level, msg }) => [level, msg]);
  return { workspace, deliver, ada, said, lines };
}

const person = { user: { id: 'U1' }, team: { id: 'T1' }, trigger_id: '1.2.x' };
const interactive = (payload: JsonObject): Delivery => ({
  kind: 'interactive',
  payload: { ...person, ...payload },
});
const event = (payload: JsonObject): Delivery => ({
  kind: 'events_api',
  payload: { type: 'event_callback', event_id: 'Ev1', team_id: 'T1', ...payload },
});
const command = (fields: JsonObject): Delivery => ({
  kind: 'slash_commands',
  payload: {
    team_id: 'T1',
    user_id: 'U1',
    channel_id: general,
    trigger_id: '1.2.x',
    text: '',
    ...fields,
  },
});

it('what isn’t ours is acknowledged at once and named in the log', async () => {
  const { deliver, said } = await startedBot();
  for (const [name, delivery, body] of [
    ['the command /deploy', command({ command: '/deploy' })],
    ['the shortcut open-ticket', interactive({ type: 'shortcut', callback_id: 'open-ticket' })],
    ['the form ticket', interactive({ type: 'view_submission', view: { callback_id: 'ticket' } })],
    [
      'the view_closed ticket',
      interactive({ type: 'view_closed', view: { callback_id: 'ticket' }, callback_id: 'ticket' }),
    ],
    ['the dialog_submission d', interactive({ type: 'dialog_submission', callback_id: 'd' })],
    [
      'the search pick',
      interactive({ type: 'block_suggestion', action_id: 'pick', value: '' }),
      { options: [] },
    ],
    [
      'the workflow step sum',
      event({ event: { type: 'function_executed', function: { callback_id: 'sum' } } }),
    ],
  ] satisfies [string, Delivery, unknown?][]) {
    const answer = await deliver(delivery);
    expect(answer).toMatchObject({ acked: true });
    if (body) expect(answer).toMatchObject({ body });
    expect(said()).toEqual([[30, `Ignored ${name}, which this app doesn't handle`]]);
  }
});

it('nonsense that is signed is acknowledged, with one warning and no error', async () => {
  const { deliver, lines } = await startedBot();
  for (const delivery of [
    event({ event: null }),
    event({ event: {} }),
    event({ event: { type: 'message', channel: null } }),
    interactive({ type: 'view_submission' }),
    interactive({ type: 'view_submission', view: { callback_id: 'start-run:submit' } }),
    interactive({ type: 'block_actions', actions: null }),
    interactive({ type: 'block_actions', user: null, actions: [{ action_id: 'run:again' }] }),
    command({ command: '/agent', user_id: '' }),
    { kind: 'events_api', payload: {} } as const,
  ]) {
    expect(await deliver(delivery)).toMatchObject({ acked: true });
    expect(lines, textOf(delivery)).toMatchObject([{ level: 40 }]);
    expect(lines[0]).not.toHaveProperty('err');
  }
});

it('people are told about buttons of features that are gone, and about forms of another version of the app', async () => {
  const { workspace, deliver, ada, said, lines } = await startedBot();
  const gone = (action: JsonObject) =>
    interactive({
      type: 'block_actions',
      user: { id: ada.person.id },
      channel: { id: general },
      container: { type: 'message' },
      actions: [{ type: 'button', block_id: 'b', ...action }],
    });
  const link = gone({ action_id: 'read-more', url: 'https://example.org' });
  const ignored = (name: string) =>
    `Ignored the button or menu ${name}, which this app doesn't handle`;
  expect(await deliver(link)).toMatchObject({ acked: true });
  expect(said()).toEqual([[30, ignored('read-more')]]);
  expect(await deliver(gone({ action_id: 'run:gone' }))).toMatchObject({ acked: true });
  const told = await workspace.until(() => ada.sees(general).find(({ visibleTo }) => visibleTo));
  expect(textOf(told)).toContain('out of date');
  expect(said().map(([, msg]) => msg)).toEqual([ignored('run:gone')]);

  const view = { id: 'V1', callback_id: 'start-run:submit', private_metadata: '{"old":1}' };
  const form = interactive({
    type: 'view_submission',
    user: { id: ada.person.id },
    view: { ...view, state: { values: {} }, blocks: [{ type: 'input', block_id: 'prompt' }] },
  });
  const answer = await deliver(form);
  expect(answer).toMatchObject({ acked: true, body: { response_action: 'errors' } });
  expect(textOf(answer)).toContain('updated after this form was opened');
  expect(lines).toMatchObject([{ level: 40, code: 'outdated_view' }]);

  // The app answers a command even if it has no response_url.
  await deliver(command({ command: '/agent', text: 'list', user_id: ada.person.id }));
  await workspace.until(() => textOf(ada.sees(general)).includes("haven't started any runs"));
  expect(lines.filter(({ level }) => level > 30)).toEqual([]);
});

it('deliveries for another workspace and news of dropped events are acknowledged, with one warning each', async () => {
  const { workspace, deliver, ada, said } = await startedBot();
  const [team_id, user_id] = ['T09OUTSIDER', ada.person.id];
  const start = command({ command: '/agent', text: 'run count', user_id, team_id });
  expect(await deliver(start)).toMatchObject({ acked: true });
  const dropped = [40, 'Dropped a delivery for another workspace'];
  expect(said()).toEqual([dropped]);
  const mention = {
    type: 'app_mention',
    user: user_id,
    channel: general,
    ts: '1.2',
    text: 'count',
  };
  const authorizations = [{ team_id, enterprise_id: null, is_enterprise_install: false }];
  expect(await deliver(event({ event: mention, authorizations }))).toMatchObject({ acked: true });
  expect(said()).toEqual([dropped]);
  await workspace.faults.inject({ name: 'app_rate_limited' });
  await expect
    .poll(() => said().filter(([level]) => level !== 30))
    .toEqual([dropped, [40, expect.stringContaining('Slack dropped events')]]);
  await ada.types(general, '/agent list all');
  await workspace.until(() => textOf(ada.sees(general)).includes('No runs'));
});

/** Returns a complete event of each kind that the app listens to. */
const eventsOf = (user: string, channel: string): JsonObject[] => [
  {
    type: 'link_shared',
    user,
    channel,
    message_ts: '1.2',
    unfurl_id: 'C1.1.2',
    source: 'conversations_history',
    links: [{ url: 'https://127.0.0.1/session/x', domain: '127.0.0.1' }],
  },
  { type: 'app_home_opened', user, channel, tab: 'home', event_ts: '1.2' },
  { type: 'app_context_changed', user, channel, context: { entities: [] } },
  { type: 'app_mention', user, channel, ts: '1.2', text: 'hello' },
  { type: 'message', user, channel, channel_type: 'im', ts: '1.2', text: 'hello' },
  { type: 'agent_session_stopped', user, channel, thread_ts: '1.2' },
  { type: 'member_joined_channel', user, channel, team: 'T1' },
  { type: 'member_left_channel', user, channel, team: 'T1' },
  { type: 'channel_rename', channel: { id: channel, name: 'x' } },
  { type: 'channel_deleted', channel },
  { type: 'subteam_updated', subteam: { id: 'S1', users: [user] } },
  { type: 'subteam_members_changed', subteam_id: 'S1', added_users: [], removed_users: [] },
  { type: 'tokens_revoked', tokens: { oauth: [user] } },
];

it('events that lack a member are acknowledged without an error', async () => {
  const { deliver, lines, ada } = await startedBot();
  const all = eventsOf(ada.person.id, general).flatMap((whole) => [whole, ...poorer(whole)]);
  for (const [index, each] of all.entries()) {
    const sent = event({ event: each, event_id: `Ev-poor-${index}` });
    expect(await deliver(sent), textOf(each)).toMatchObject({ acked: true });
    expect(
      lines.filter(({ level }) => level > 40),
      textOf(each),
    ).toEqual([]);
  }
});
