import { describe, expect, it } from 'vitest';
import { createContextTexts } from '../../../../src/slack/runs/reading/context-texts.ts';
import { slackMessageSchema } from '../../../../src/slack/text/message-text.ts';
import type { RunRequest } from '../../../../src/store/requests/request-row.ts';
import type { RunViewer } from '../../../../src/store/requests/visible-requests.ts';
import { aRequest, aRun } from '../../../support/builders.ts';

const own = (ts: string, text = 'from the app') =>
  slackMessageSchema.parse({ ts, user: 'U0', bot_id: 'B0', text });

/**
 * Returns the context that an agent gets from these messages.
 * @param runs requests that the asker can see, by message
 */
async function read(
  messages: object[],
  runs: Record<string, RunRequest> = {},
  sessions: readonly string[] = [],
) {
  const asked: unknown[] = [];
  const { read } = createContextTexts({
    teamId: 'T1',
    botId: () => 'B0',
    botUserId: () => 'U0',
    requests: {
      findOfPosts: async (viewer: RunViewer, channelId: string, ts: readonly string[]) => {
        asked.push({ viewer, channelId, ts });
        return new Map(Object.entries(runs));
      },
      sessionsAmong: async (_: string, links: readonly string[]) =>
        links.filter((each) => sessions.includes(each)),
    },
  });
  const all = messages.map((message) => slackMessageSchema.parse(message));
  const texts = await read({ channelId: 'C1', userId: 'U1' }, all);
  return { texts: [...texts], asked };
}

const answered = (answer: string) =>
  aRequest({
    title: 'Fix\nthe *pager*',
    step: 'ended',
    run: aRun({ state: 'SUCCEEDED', status_message: { message: answer } }),
  });

describe('messages of the app that are sent to an agent', () => {
  it('are one line for each run, however many there are, on the place of the first', async () => {
    const request = answered('It was\n\nthe  battery.');
    const person = { ts: '2.0', user: 'U2', text: 'nice' };
    const { texts, asked } = await read([own('1.0'), person, own('3.0')], {
      '1.0': request,
      '3.0': request,
    });
    expect(texts).toEqual([
      ['1.0', 'Earlier run: Fix the pager, Succeeded, It was the battery.'],
      ['2.0', 'nice'],
    ]);
    // The runs are limited to those that the asker can see in this conversation.
    const viewer = { teamId: 'T1', userId: 'U1', conversationId: 'C1' };
    expect(asked).toEqual([{ viewer, channelId: 'C1', ts: ['1.0', '3.0'] }]);
  });

  it('say why a run failed, and nothing of what one in progress reports', async () => {
    const failed = answered('The tests fail.');
    const run = aRun({ state: 'FAILED', status_message: { message: 'The tests fail.' } });
    const active = aRun({ state: 'INPROGRESS', status_message: { message: 'Reading' } });
    const { texts } = await read([own('1.0'), own('2.0')], {
      '1.0': { ...failed, run },
      '2.0': { ...failed, id: 'other', step: 'following', run: active },
    });
    expect(texts.map(([, text]) => text)).toEqual([
      'Earlier run: Fix the pager, Failed, The tests fail.',
      'Earlier run: Fix the pager, In progress',
    ]);
  });

  it('are left out if they belong to no run that the asker may see', async () => {
    const upload = { ts: '4.0', bot_id: 'B0', text: '', files: [{ name: 'a.png' }] };
    expect((await read([own('1.0'), upload])).texts).toEqual([]);
  });

  it('give people who copied a link from them no session, whatever its shape', async () => {
    const session = 'https://agents.example.com/t/9?run=1';
    const text = `<${session}|Open session>. Or <${session}> and https://ci.example.com/1`;
    const { texts } = await read([{ ts: '1.0', user: 'U2', text }], {}, [session]);
    expect(texts).toEqual([['1.0', expect.not.stringContaining('agents.example.com')]]);
    expect(texts[0]?.[1]).toContain('https://ci.example.com/1');
    expect(texts[0]?.[1].match(/\[session link\]/g)).toHaveLength(2);
  });

  it("leave other apps' messages as they are, and drop the app's preview of a link and a forwarded one of its messages", async () => {
    const shown = (bot: string) => ({ bot_id: bot, text: `preview of ${bot}` });
    const forwarded = (author: string) => ({ author_id: author, text: `forwarded of ${author}` });
    const message = {
      ts: '1.0',
      bot_id: 'B9',
      text: 'see this',
      attachments: [shown('B0'), shown('B9'), forwarded('U0'), forwarded('U9')],
    };
    expect((await read([message])).texts).toEqual([
      ['1.0', 'see this\npreview of B9\nforwarded of U9'],
    ]);
  });
});
