import { expect, it } from 'vitest';
import { privateConversationIn } from '../../../src/slack/people/private-conversation.ts';

const event = (fields: object) => ({ type: 'event_callback', event: fields });

it.each([
  ['a command', { command: '/agent', channel_id: 'C1', channel_name: 'privategroup' }],
  ['a click', { type: 'block_actions', channel: { id: 'C1', name: 'privategroup' } }],
  ['a message', event({ type: 'message', channel: 'C1', channel_type: 'group' })],
  ['a group message', event({ type: 'message', channel: 'C1', channel_type: 'mpim' })],
  ['someone who joins', event({ type: 'member_joined_channel', channel: 'C1', channel_type: 'G' })],
])('%s tells that its conversation is private', (_, body) => {
  expect(privateConversationIn(body)).toBe('C1');
});

it.each([
  ['a public channel', { command: '/agent', channel_id: 'C1', channel_name: 'general' }],
  ['a direct message', event({ type: 'message', channel: 'D1', channel_type: 'im' })],
  ['no channel', { type: 'block_actions', view: {} }],
  ['an event that is null', { event: null }],
  ['a renamed channel', event({ type: 'channel_rename', channel: { id: 'C1' } })],
])('%s tells nothing', (_, body) => {
  expect(privateConversationIn(body)).toBeUndefined();
});
