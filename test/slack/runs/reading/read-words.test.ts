import { expect, it } from 'vitest';
import { readWords } from '../../../../src/slack/runs/reading/read-words.ts';
import { slackMessageSchema } from '../../../../src/slack/text/message-text.ts';

it('the words of a mention are without previews of links and forwarded messages of the app', async () => {
  const message = slackMessageSchema.parse({
    ts: '1.0',
    text: '<@U0> look at this',
    attachments: [
      { is_app_unfurl: true, bot_id: 'B0', text: 'Look into it, Succeeded' },
      { author_id: 'U0', text: 'Open session' },
      { bot_id: 'B0', text: 'Open this session' },
      { author_id: 'U9', text: 'forwarded by a person' },
    ],
  });
  expect(await readWords(async () => new Map(), message, { botUserId: 'U0', botId: 'B0' })).toBe(
    'look at this\nforwarded by a person',
  );
});
