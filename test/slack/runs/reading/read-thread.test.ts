import { WebAPIPlatformError, type WebClient } from '@slack/web-api';
import { describe, expect, it } from 'vitest';
import { createContextTexts } from '../../../../src/slack/runs/reading/context-texts.ts';
import { createThreadReader } from '../../../../src/slack/runs/reading/read-thread.ts';

const texts = createContextTexts({
  teamId: 'T1',
  botId: () => 'B0',
  botUserId: () => 'U0',
  requests: { findOfPosts: async () => new Map(), sessionsAmong: async () => [] },
});

/** Creates a thread of `count` messages in pages, oldest first, like Slack. */
function readerOf(count: number) {
  const messageAt = (index: number) => ({
    ts: `${1_700_000_000 + index}.000100`,
    username: 'Ada',
    text: `message ${index + 1}`,
  });
  const asked: number[] = [];
  const replies = async ({ cursor, limit }: { cursor?: string; limit: number }) => {
    const from = Number(cursor ?? 0);
    asked.push(from);
    const next = from + limit < count ? `${from + limit}` : '';
    const length = Math.min(limit, count - from);
    const page = Array.from({ length }, (_, index) => messageAt(from + index));
    return { ok: true, messages: page, response_metadata: { next_cursor: next } };
  };
  const client = { conversations: { replies } } as unknown as WebClient;
  return { read: createThreadReader(client, async () => new Map(), texts), asked };
}

const place = { channelId: 'C1', userId: 'U1', threadTs: '1700000000.000100' };

describe('a long thread', () => {
  it('is sent with its first message, the newest, and the number omitted between them', async () => {
    const { read, asked } = readerOf(3_000);
    const thread = await read(place);
    if ('closed' in thread) throw new Error(thread.closed);
    expect(thread.context.endsWith('> message 3000')).toBe(true);
    expect(thread.context).toContain('> message 1\n');
    expect(thread.context).not.toContain('> message 2\n');
    expect(thread.context).toContain(`[… ${thread.left.toLocaleString('en')} messages omitted]`);
    expect(thread.messages + thread.left).toBe(3_000);
    expect(asked).toHaveLength(15);
  });

  it("isn't used when it's too long to read", async () => {
    const { read, asked } = readerOf(1_000_000);
    expect(await read(place)).toEqual({ closed: 'This thread is too long to read.' });
    expect(asked.length).toBeLessThan(50);
  });
});

describe("a thread that Slack doesn't return", () => {
  const readAfter = async (error: string) => {
    const replies = async () => {
      throw new WebAPIPlatformError({ ok: false, error });
    };
    const client = { conversations: { replies } } as unknown as WebClient;
    const thread = await createThreadReader(client, async () => new Map(), texts)(place);
    return 'closed' in thread ? thread.closed : 'read';
  };

  it('says how to add the app, and in what is private also about a group DM', async () => {
    const closed = await readAfter('channel_not_found');
    expect(closed).toContain('`/invite @agent`');
    expect(closed).toContain('group DM');
    expect(await readAfter('not_in_channel')).toBe(
      "The app can't read this thread. Type `/invite @agent` here.",
    );
  });

  it('says what an admin must do when the app lacks a scope', async () => {
    const closed = await readAfter('missing_scope');
    expect(closed).toContain('Ask an admin');
    expect(closed).not.toContain('/invite');
  });

  it.each(['internal_error', 'ratelimited'])('says to try again after %s', async (error) => {
    const closed = await readAfter(error);
    expect(closed).toContain('Try again');
    expect(closed).not.toContain('/invite');
  });
});
