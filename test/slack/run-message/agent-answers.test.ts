import { readableText } from 'base/readable-text';
import type { Message } from 'slack-stand-in';
import { describe, expect, it } from 'vitest';
import { agentAnswers } from '../../support/answers/agent-answers.ts';
import { useRunInSlack } from '../../support/posting/run-in-slack.ts';

const { start } = useRunInSlack();
type Bot = Awaited<ReturnType<typeof start>>;

/** Returns the message of an ended run, the reply in its thread, and files. */
async function threadOf(bot: Bot): Promise<Message[]> {
  const before = bot.all().length;
  await bot.startAgain();
  await bot.works();
  bot.end();
  // The file is due a moment later than the reply.
  for (let round = 0; round < 2; round += 1) await bot.works();
  return bot.all().slice(before);
}

const wordsIn = (text: string): string[] => text.match(/[\p{L}\p{N}]{3,}/gu) ?? [];

/** Collects all texts, including code languages and link URLs. */
function writtenIn(value: unknown): string {
  if (Array.isArray(value)) return value.map(writtenIn).join('\n');
  if (typeof value !== 'object' || value === null) return '';
  const { text, url, language, ...others } = value as Record<string, unknown>;
  const own = [text, url, language].map((each) =>
    typeof each === 'string' ? each : writtenIn(each),
  );
  return [...own, ...Object.values(others).map(writtenIn)].join(' ');
}

/** Returns words of the answer that the blocks lack, as many times as they're missing. */
function missingIn(blocks: unknown, answer: string): string[] {
  const counts = new Map<string, number>();
  for (const word of wordsIn(writtenIn(blocks))) counts.set(word, (counts.get(word) ?? 0) + 1);
  return wordsIn(readableText(answer)).filter((word) => {
    const left = counts.get(word) ?? 0;
    counts.set(word, left - 1);
    return left <= 0;
  });
}

describe(`each of ${agentAnswers.length} answers of agents`, () => {
  it('is in the message or the thread, whole or as its beginning and a file, and Slack rejects nothing', async () => {
    expect(agentAnswers.length).toBeGreaterThanOrEqual(200);
    const results = { answer: '' };
    const bot = await start(results);
    let whole = 0;
    for (const { name, text } of agentAnswers) {
      results.answer = text;
      const [message, reply, ...files] = await threadOf(bot);
      // If the message has the whole answer, the reply has only one line.
      const blocks = [message?.blocks ?? [], reply?.blocks ?? []];
      const isPart = writtenIn(reply?.blocks).includes('This is the beginning of the answer.');
      if (isPart) {
        const size = Buffer.byteLength(readableText(text));
        expect(files, name).toMatchObject([{ files: [{ title: 'Answer: Count', size }] }]);
        // Leave out the last word, because it may be cut.
        const beginning = wordsIn(text.slice(0, 100)).slice(0, -1);
        expect(missingIn(blocks, beginning.join(' ')), name).toEqual([]);
      } else {
        expect(files, name).toEqual([]);
        expect(missingIn(blocks, text), name).toEqual([]);
        whole += 1;
      }
    }
    expect(bot.rejections()).toEqual([]);
    // Most answers fit, so most people never need the file.
    expect(whole).toBeGreaterThan(agentAnswers.length / 2);
  });
});
