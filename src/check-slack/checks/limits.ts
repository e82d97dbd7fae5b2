import { outcomeOf } from '../../slack/posting/slack-failure.ts';
import { type Check, type CheckContext, judge, saidBy } from '../check.ts';
import { markdown, readBack, section, typesOf } from './messages.ts';

const text = 'check-slack: this message is deleted at the end';
const keptRichText = {
  type: 'rich_text',
  elements: [{ type: 'rich_text_section', elements: [{ type: 'text', text: '.' }] }],
};

export const mismatch: Check = {
  id: '7',
  title: 'Updates without Markdown',
  needs: 'nothing',
  async *run(context) {
    const { call, channel } = context;
    const updateTo = async (update: object[]) => {
      const blocks = [section('check-slack'), markdown('- a\n- b\n\n**c**')];
      const { ts } = await call('chat.postMessage', { channel, text, blocks });
      const { message } = await readBack(context, ts);
      const answer = await call('chat.update', { channel, ts, text, blocks: update });
      return { answer, isTaken: answer['ok'] === true, stored: typesOf(message) };
    };
    const dropped = await updateTo([section('check-slack')]);
    yield judge('An update can drop the blocks that Slack made of Markdown', {
      holds: dropped.isTaken,
      said: `${saidBy(dropped.answer)}; stored as ${dropped.stored}`,
      means:
        'The app adds rich text that nobody sees, or posts a new message and deletes the old one.',
    });
    const kept = await updateTo([section('check-slack'), keptRichText]);
    yield judge('An update that keeps one rich text block is accepted', {
      holds: kept.isTaken,
      said: saidBy(kept.answer),
      means: 'The app posts a new message and deletes the old one.',
    });
  },
};

const row = (words: string) => `| ${words} | b |\n| --- | --- |\n| c | d |\n`;
const rows = Array.from({ length: 101 }, (_, at) => `| ${at} | x |`).join('\n');
const words = (length: number) => 'word '.repeat(length / 5).trim();
const headings = (count: number) =>
  Array.from({ length: count }, (_, at) => `## Heading ${at + 1}`).join('\n\n');

/** Largest messages that the app sends. Slack should accept them. */
const fitting: [name: string, blocks: object[]][] = [
  ['8,500 characters of Markdown', [markdown(words(8_500))]],
  ['40 headings', [markdown(headings(40))]],
  ['one table', [markdown(row('a'))]],
];

/** Messages that are too large, with the error that Slack documents, if any. The app never sends them. */
const tooMuch: [name: string, error: string | undefined, blocks: object[]][] = [
  ['60 headings', 'invalid_blocks', [markdown(headings(60))]],
  ['two tables', 'invalid_attachments', [markdown(`${row('a')}\n\nBetween\n\n${row('e')}`)]],
  ['a table of 101 rows', undefined, [markdown(`| a | b |\n| --- | --- |\n${rows}`)]],
  ['11,000 characters of Markdown', undefined, [markdown(words(11_000))]],
  [
    '11,000 characters of Markdown and a section of 900',
    undefined,
    [markdown(words(11_000)), section(words(900))],
  ],
  ['a section of one blank', undefined, [section(' ')]],
];

export const expansion: Check = {
  id: '8',
  title: 'Long and wide answers',
  needs: 'nothing',
  async *run(context) {
    for (const [name, blocks] of fitting) {
      const { said, isPosted } = await tryBlocks(context, blocks);
      yield judge(`Slack takes ${name}`, {
        holds: isPosted,
        said,
        means: 'Answers like this are rejected first, then posted as their beginning and a file.',
      });
    }
    for (const [name, expected, blocks] of tooMuch) {
      const { said, isPosted, error } = await tryBlocks(context, blocks);
      const isShortened = isPosted || outcomeOf('post', error) === 'shorter';
      yield judge(
        expected === undefined
          ? `Slack takes ${name}, or the app shortens it`
          : `Slack rejects ${name} with ${expected}`,
        {
          holds: expected === undefined ? isShortened : error === expected,
          said,
          means: isPosted
            ? 'Slack takes more than is documented. Nothing is lost.'
            : isShortened
              ? 'It is another error than documented, and the app shortens the message after it too.'
              : "The app takes it as a place where it can't post, so an answer can be lost. Open an issue.",
        },
      );
    }
  },
};

async function tryBlocks(context: CheckContext, blocks: object[]) {
  const { call, channel } = context;
  const answer = await call('chat.postMessage', { channel, text, blocks });
  const isPosted = answer['ok'] === true;
  const error = String(answer['error']);
  if (!isPosted) return { said: saidBy(answer), isPosted, error };
  const { ts } = answer;
  const { message } = await readBack(context, ts);
  const stored = typesOf(message).split(', ').length;
  await call('chat.delete', { channel, ts });
  return { said: `ok, stored as ${stored} ${stored === 1 ? 'block' : 'blocks'}`, isPosted, error };
}
