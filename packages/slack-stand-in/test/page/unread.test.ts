import { describe, expect, it } from 'vitest';
import { countUnread, readUpTo } from '../../src/page/state/unread.ts';
import type { ChannelEntry, MessageEntry } from '../../src/page-server/page-entry.ts';

const message = (ts: string, rest: Partial<MessageEntry> = {}): MessageEntry => ({
  kind: 'message',
  channel: 'C1',
  ts,
  user: 'U2',
  text: '',
  isEphemeral: false,
  isBroadcast: false,
  blocks: [],
  attachments: [],
  files: [],
  reactions: [],
  ...rest,
});
const channels: ChannelEntry[] = ['C1', 'C2'].map((id) => ({
  kind: 'channel',
  id,
  name: id,
  type: 'public',
  topic: '',
  memberIds: [],
  isMember: true,
  hasApp: true,
}));

describe('unread marks', () => {
  it('count nothing on the first visit', () => {
    const messages = [message('1.0'), message('2.0')];
    expect(readUpTo({}, { messages, channels, here: undefined })).toEqual({ C1: '2.0', C2: '0' });
  });

  it('clear the open channel and leave the others', () => {
    const messages = [message('1.0'), message('2.0'), message('2.1', { channel: 'C2' })];
    const lastRead = { C1: '1.0', C2: '0' };
    expect(readUpTo(lastRead, { messages, channels, here: 'C1' })).toEqual({ C1: '2.0', C2: '0' });
    expect(readUpTo(lastRead, { messages, channels, here: undefined })).toBe(lastRead);
  });

  it('count newer messages of others, without replies in threads', () => {
    const messages = [
      message('1.0'),
      message('2.0'),
      message('3.0', { threadTs: '1.0' }),
      message('4.0', { threadTs: '1.0', isBroadcast: true }),
      message('5.0', { user: 'U1' }),
    ];
    expect(countUnread({ C1: '1.0' }, messages, 'U1').get('C1')).toBe(2);
  });
});
