import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createLogger } from '../../../src/lib/logger.ts';
import { MentionInbox } from '../../../src/slack/mention/mention-inbox.ts';
import { createMentions } from '../../../src/store/inbox/mentions.ts';
import { useDatabase } from '../../support/databases.ts';

const minuteMs = 60_000;

describe('a mention that cannot be handled', () => {
  const database = useDatabase();

  /** An inbox that can't handle its only mention, received so long ago. */
  async function failingInbox(agoMs: number) {
    await database().deleteFrom('mentions').execute();
    const mention = {
      eventId: 'Ev1',
      teamId: 'T1',
      userId: 'U1',
      channelId: 'C1',
      message: { ts: '1.000100', text: 'go' },
    };
    const mentions = createMentions(database());
    await mentions.keep('Ev1', mention, Date.now() - agoMs);
    const finish = vi.spyOn(mentions, 'finish');
    const taken = vi.spyOn(mentions, 'take');
    const handle = async () => {
      throw new Error('never works');
    };
    const inbox = new MentionInbox({ mentions, handle, logger: createLogger('silent') });
    onTestFinished(() => inbox.stop());
    inbox.start();
    await vi.waitFor(() => expect(taken).toHaveBeenCalled());
    await inbox.stop();
    return { finish };
  }

  it('is retried during an outage', async () => {
    const { finish } = await failingInbox(minuteMs);
    expect(finish).not.toHaveBeenCalled();
  });

  it('is dropped after half an hour', async () => {
    const { finish } = await failingInbox(31 * minuteMs);
    expect(finish).toHaveBeenCalledWith('Ev1', expect.any(Number));
  });
});
