import { describe, expect, it } from 'vitest';
import type { Trigger } from '../../../src/automations/automation.ts';
import {
  isForTrigger,
  readFiringMessage,
  readFiringReaction,
} from '../../../src/slack/automations/read-trigger-event.ts';

const own = { botUserId: 'UAPP', botId: 'BAPP' };
const event = {
  type: 'message',
  channel: 'C1',
  channel_type: 'channel',
  user: 'U1',
  text: 'Disk full on db-1',
  ts: '1.000001',
};
const body = (changes: object = {}) => ({ event: { ...event, ...changes } });

describe('a message that can fire automations', () => {
  it('is a new one of a person, by its author', () => {
    expect(readFiringMessage(body(), own)).toMatchObject({ channelId: 'C1', by: 'U1' });
    expect(readFiringMessage(body({ subtype: 'file_share' }), own)?.by).toBe('U1');
  });

  it('is one of a bot, by the ID of the bot and not by its name', () => {
    const webhook = { subtype: 'bot_message', bot_id: 'B1', user: undefined, username: 'Ada' };
    expect(readFiringMessage(body(webhook), own)?.by).toBe('B1');
    expect(readFiringMessage(body({ bot_id: 'B1', user: 'UBOT' }), own)?.by).toBe('B1');
    // An app that posts with a person's token is still a bot.
    expect(readFiringMessage(body({ bot_id: 'B1' }), own)?.by).toBe('B1');
  });

  it.each([
    ['of the app', { user: 'UAPP' }],
    ['of the bot of the app', { subtype: 'bot_message', bot_id: 'BAPP', user: undefined }],
    ['that mentions the app', { text: 'hi <@UAPP> go' }],
    ['in a thread', { thread_ts: '0.000001' }],
    ['in a thread and the channel', { subtype: 'thread_broadcast', thread_ts: '0.000001' }],
    ['about someone who joined', { subtype: 'channel_join' }],
    ['that was edited', { subtype: 'message_changed' }],
    ['that was edited before it arrived', { edited: { user: 'U1', ts: '2' } }],
    ['that was deleted', { subtype: 'message_deleted' }],
    ['that is hidden', { hidden: true }],
    ['with the app alone', { channel: 'D1', channel_type: 'im' }],
    ['without an author', { user: undefined }],
    ['without a time', { ts: undefined }],
    ['without a channel', { channel: null }],
    ['of another type', { type: 'app_mention' }],
  ])('is not one %s', (_, changes) => {
    expect(readFiringMessage(body(changes), own)).toBeUndefined();
  });

  it('is never garbage', () => {
    for (const garbage of [
      null,
      'x',
      1,
      [],
      { event: null },
      { event: [] },
      { event: 'message' },
    ]) {
      expect(readFiringMessage(garbage, own)).toBeUndefined();
      expect(readFiringReaction(garbage, own)).toBeUndefined();
    }
  });
});

describe('a message trigger', () => {
  const trigger = (changes: Partial<Extract<Trigger, { kind: 'message' }>> = {}) => ({
    kind: 'message' as const,
    text: '',
    people: [],
    bots: [],
    onlyBots: false,
    ...changes,
  });
  const message = { ts: '1', text: '' };

  it('finds its text in blocks and attachments, whatever the case', () => {
    const alert = {
      ts: '1',
      bot_id: 'B1',
      text: 'Alert',
      blocks: [{ type: 'section', text: { type: 'mrkdwn', text: '*FIRING* on db-1' } }],
      attachments: [{ title: 'Disk full', fields: [{ title: 'Severity', value: 'page' }] }],
    };
    const matches = (text: string) => isForTrigger(trigger({ text, bots: ['B1'] }), 'B1', alert);
    expect(['firing', 'disk full', 'FIRING*severity: page', '', '*'].map(matches)).toEqual(
      Array(5).fill(true),
    );
    expect(['resolved', 'page*firing', '.*', 'd.sk'].map(matches)).toEqual(Array(4).fill(false));
  });

  it.each<[string, Parameters<typeof trigger>[0], string, boolean]>([
    ['anyone, if nobody is listed', {}, 'U1', true],
    ['listed people', { people: ['U1'] }, 'U1', true],
    ['nobody else then', { people: ['U2'] }, 'U1', false],
    ['no people, if only bots count', { onlyBots: true, people: ['U1'] }, 'U1', false],
    ['no bots that are not listed', {}, 'B1', false],
    ['listed bots', { bots: ['B1'] }, 'B1', true],
    ['other bots neither', { bots: ['B1'], onlyBots: true }, 'B2', false],
  ])('is fired by %s', (_, changes, by, fires) => {
    expect(isForTrigger(trigger(changes), by, message)).toBe(fires);
  });
});

describe('a reaction that can fire automations', () => {
  const reaction = {
    type: 'reaction_added',
    user: 'U1',
    reaction: 'eyes',
    item: { type: 'message', channel: 'C1', ts: '1.000001' },
  };
  const read = (changes: object = {}) =>
    readFiringReaction({ event: { ...reaction, ...changes } }, own);

  it('has the emoji without its skin tone', () => {
    const found = { channelId: 'C1', ts: '1.000001', by: 'U1', emoji: 'eyes' };
    expect(read()).toEqual(found);
    expect(read({ reaction: '+1::skin-tone-4' })).toEqual({ ...found, emoji: '+1' });
  });

  it.each([
    ['of the app', { user: 'UAPP' }],
    ['to a file', { item: { type: 'file', file: 'F1' } }],
    ['that was removed', { type: 'reaction_removed' }],
    ['of nobody', { user: '' }],
  ])('is not one %s', (_, changes) => {
    expect(read(changes)).toBeUndefined();
  });
});
