import { describe, expect, it } from 'vitest';
import { readReplyEvent } from '../../../src/slack/replies/read-reply.ts';

const me = 'U0AGENT';
const message = { user: 'U1', text: 'and the tests', ts: '200.000001', thread_ts: '100.000001' };
const channel = { channel: 'C1', channel_type: 'channel' };
const written = { type: 'message', ...channel, ...message };
const edit = (seconds: number, text = 'and the docs', more: object = {}) => ({
  type: 'message',
  ...channel,
  subtype: 'message_changed',
  hidden: true,
  ts: '900.000001',
  message: { ...message, text, edited: { user: 'U1', ts: `${200 + seconds}.000000` }, ...more },
  previous_message: message,
});
const deletion = {
  type: 'message',
  ...channel,
  subtype: 'message_deleted',
  hidden: true,
  ts: '900.000001',
  deleted_ts: message.ts,
  previous_message: message,
};

const read = (event: unknown) => readReplyEvent({ type: 'event_callback', event }, me);
const place = { channelId: 'C1', threadTs: '100.000001', userId: 'U1', changedTs: '900.000001' };

describe('what is a reply', () => {
  it.each<[string, object]>([
    ['a reply', written],
    ['a reply that is also sent to the channel', { ...written, subtype: 'thread_broadcast' }],
    ['a reply with a file', { ...written, subtype: 'file_share', files: [{ id: 'F1' }] }],
    ['one that mentions the app', { ...written, text: `<@${me}> and <@U2>, go` }],
    ['the mention event of one', { ...written, type: 'app_mention', text: `<@${me}> go` }],
    ['one that names people, to the app alone', { ...written, channel: 'D1', text: 'ask <@U2>' }],
  ])('%s', (_, event) => {
    expect(read(event)).toMatchObject({
      kind: 'written',
      wasForRun: true,
      reply: { threadTs: '100.000001', userId: 'U1', message: { ts: '200.000001' } },
    });
  });

  it.each<[string, unknown]>([
    ['a message outside of threads', { ...written, thread_ts: undefined }],
    ["a thread's first message", { ...written, thread_ts: message.ts }],
    ['a bot', { ...written, bot_id: 'B1' }],
    ['the app itself', { ...written, user: me }],
    ['nobody', { ...written, user: null }],
    ['a join', { ...written, subtype: 'channel_join' }],
    ['a reply to a person', { ...written, text: 'what do you think, <@U2>?' }],
    ['a reply to a group', { ...written, text: '<!subteam^S1|@oncall> look' }],
    ['a reply to everyone', { ...written, text: '<!here> look' }],
    ['a mention by an edit', { ...written, type: 'app_mention', edited: { ts: '201.0' } }],
    ['an edit after a minute', edit(61)],
    ['a preview of a link', edit(1, message.text)],
    ['a change by Slack', edit(1, 'other', { edited: undefined })],
    ['an edit by a bot', edit(1, 'other', { bot_id: 'B1' })],
    ['a change without messages', { ...written, subtype: 'message_changed' }],
    ['another event', { type: 'reaction_added', item: { ts: '1.0' } }],
    ['an odd thread', { ...written, thread_ts: { of: 'objects' } }],
    ['no channel', { ...written, channel: 7 }],
    ['nothing', null],
    ['a text', 'message'],
  ])('not %s', (_, event) => {
    expect(read(event)).toBeUndefined();
  });
});

describe('what replaces a reply', () => {
  it('an edit within a minute', () => {
    const reply = {
      ...place,
      isWithdrawn: false,
      message: { text: 'and the docs', ts: message.ts },
    };
    expect(read(edit(60))).toMatchObject({ kind: 'edited', wasForRun: true, reply });
  });

  it.each<[string, object]>([
    ['an edit that makes it for someone else', edit(5, '<@U2> and the docs')],
    ['its deletion', deletion],
  ])('%s withdraws it', (_, event) => {
    const reply = { ...place, isWithdrawn: true, message: { ts: message.ts } };
    expect(read(event)).toEqual({ kind: 'edited', wasForRun: true, reply });
  });

  it("an edit of what wasn't for the run says so", () => {
    const previous_message = { ...message, text: '<@U2> and the docs' };
    expect(read({ ...edit(5), previous_message })).toMatchObject({ wasForRun: false });
  });
});
