import { describe, expect, it } from 'vitest';
import { readEditedMention, readMention } from '../../../src/slack/mention/read-mention.ts';
import { withoutMention } from '../../../src/slack/text/typed-text.ts';

const me = 'U0AGENT';

const delivery = (event: object) => ({
  type: 'event_callback',
  event_id: 'Ev1',
  team_id: 'T1',
  event: {
    type: 'app_mention',
    channel: 'C1',
    user: 'U1',
    ts: '1.0',
    text: `<@${me}> go`,
    ...event,
  },
});

const direct = { type: 'message', channel: 'D1', channel_type: 'im', text: 'go' };

const looking = (...ids: string[]) => ({
  entities: [
    { type: 'slack#/types/canvas_id', value: 'C0' },
    ...ids.map((value) => ({ type: 'slack#/types/channel_id', value })),
  ],
});

describe('a mention of the app', () => {
  it.each([
    ['in a channel', {}, { channelId: 'C1', userId: 'U1' }],
    ['in a thread', { thread_ts: '0.5' }, { threadTs: '0.5' }],
    ['in a direct message', direct, { channelId: 'D1' }],
    ['with a file', { ...direct, subtype: 'file_share' }, { channelId: 'D1' }],
    ['next to a channel', { ...direct, app_context: looking('D2', 'C2', 'C3') }, { inView: 'C2' }],
    ['next to something else', { ...direct, app_context: { entities: 7 } }, { channelId: 'D1' }],
  ])('%s counts', (_, event, expected) => {
    expect(readMention(delivery(event), me)).toMatchObject(expected);
  });

  it.each([
    ['that was edited', { edited: { user: 'U1', ts: '2.0' } }],
    ['by a bot', { bot_id: 'B1' }],
    ['by a bot, with the old subtype', { subtype: 'bot_message', user: undefined }],
    ['by the app itself', { user: me }],
    ['of someone else', { text: '<@U0OTHER> go' }],
    ['in a direct message, which also comes as a message', { channel: 'D1' }],
    ['as a channel message, which also comes as a mention', { type: 'message' }],
    ['that was changed', { ...direct, subtype: 'message_changed', hidden: true }],
    ['that was deleted', { ...direct, subtype: 'message_deleted' }],
    ['in a reaction', { type: 'reaction_added' }],
  ])('%s does not count', (_, event) => {
    expect(readMention(delivery(event), me)).toBeUndefined();
  });

  it.each([undefined, null, 'text', {}, { type: 'event_callback' }])(
    '%j does not count',
    (body) => {
      expect(readMention(body, me)).toBeUndefined();
    },
  );

  it.each([
    [`<@${me}> go`, 'go'],
    [`<@${me}|agent>: go`, 'go'],
    [`please <@${me}>, go`, 'please   go'],
    [`<@${me}>`, ''],
  ])('%s loses the name of the app', (text, rest) => {
    expect(withoutMention(text, me)).toBe(rest);
  });
});

const changed = (before: object, after: object | undefined, more: object = {}) => {
  const message = { type: 'message', user: 'U1', ts: '1.0', text: `<@${me}> go`, ...before };
  const subtype = after ? 'message_changed' : 'message_deleted';
  const now = after && { message: { ...message, edited: { user: 'U1', ts: '9.0' }, ...after } };
  return {
    ...delivery({}),
    event: {
      type: 'message',
      subtype,
      hidden: true,
      channel: 'C1',
      ts: '9.1',
      previous_message: message,
      ...now,
      ...more,
    },
  };
};

describe('an edit of a mention', () => {
  it.each([
    ['says something else', changed({}, { text: `<@${me}> stop` }), `<@${me}> stop`, false],
    [
      'says it once more',
      changed({ edited: { ts: '5.0' } }, { text: `<@${me}>!` }),
      `<@${me}>!`,
      false,
    ],
    ['names the app no more', changed({}, { text: 'go' }), `<@${me}> go`, true],
    ['deletes it', changed({}, undefined), `<@${me}> go`, true],
    [
      'changes a direct message',
      changed({ text: 'go' }, { text: 'no' }, { channel: 'D1', channel_type: 'im' }),
      'no',
      false,
    ],
  ])('%s', (_, body, text, isWithdrawn) => {
    const expected = { userId: 'U1', message: { ts: '1.0', text }, isWithdrawn, changedTs: '9.1' };
    expect(readEditedMention(body, me)).toMatchObject(expected);
  });

  it.each([
    ['adds a mention', changed({ text: 'go' }, { text: `<@${me}> go` })],
    ['comes after a minute', changed({}, { text: 'go', edited: { ts: '62.0' } })],
    ["is Slack's own", changed({}, { attachments: [] })],
    ['is by a bot', changed({ bot_id: 'B1' }, { text: `<@${me}> stop` })],
    ['is a new mention', delivery({})],
  ])('that %s does not count', (_, body) => {
    expect(readEditedMention(body, me)).toBeUndefined();
  });
});
