import { z } from 'zod';
import type { JsonObject } from '../../lib/json.ts';
import { countCodePoints } from '../fields.ts';
import { limits } from '../limits.ts';
import { expandMarkdown } from '../markdown/expand-markdown.ts';
import { phrases } from '../phrases.ts';
import { countText } from '../text-objects.ts';
import { type Problem, problem } from './findings.ts';

/**
 * Undocumented limits of a message. `text` is in code points of all blocks. Slack rejected rich text and sections of
 * 11,341 code points (bolt-js issues 2509 and 2867). A message with only markdown blocks can have 12,000.
 */
const messageTotals = { text: 12_000, textWithRichText: 11_340, blocks: 50 } as const;

const typed = z.looseObject({ type: z.string() });
const withText = z.looseObject({ type: z.literal('markdown'), text: z.string() });
const headerText = z.looseObject({ text: z.looseObject({ text: z.string() }) });
const withRows = z.looseObject({ rows: z.array(z.array(z.unknown())) });

/** A block as Slack shows it, and the index of the sent block that it comes from. */
type Shown = { block: JsonObject; at: number };

/** Checks the limits that apply to all blocks of a message together. Each block must already be valid. */
export function findTotalProblems(blocks: readonly unknown[]): Problem[] {
  const sent = blocks.map((block) => typed.safeParse(block).data ?? {});
  const shown = sent.flatMap((block, at) => {
    const markdown = withText.safeParse(block).data;
    const all = markdown ? expandMarkdown(markdown.text) : [block];
    return all.map((each) => ({ block: each, at }));
  });
  return [
    ...findCountProblems(shown),
    ...findTableProblems(shown),
    ...findPlanProblems(sent),
    ...findLengthProblems(sent, shown),
  ];
}

function findCountProblems(shown: readonly Shown[]): Problem[] {
  const tooMany = shown.length > messageTotals.blocks;
  const { max_length: longest } = limits.header.text;
  const longHeader = shown.find(
    ({ block }) =>
      block['type'] === 'header' &&
      countCodePoints(headerText.safeParse(block).data?.text.text ?? '') > longest,
  );
  return [
    ...(tooMany
      ? [problem('invalid_blocks', phrases.tooMany(messageTotals.blocks), 'blocks')]
      : []),
    ...(longHeader
      ? [problem('invalid_blocks', phrases.tooLong(longest), 'blocks', longHeader.at)]
      : []),
  ];
}

/** Limits of tables in one message: https://docs.slack.dev/reference/block-kit/blocks/table-block */
const tableLimits = { rows: 100, columns: 20, text: 10_000 } as const;

function findTableProblems(shown: readonly Shown[]): Problem[] {
  const tables = shown.filter(({ block }) => block['type'] === 'table');
  const [, second] = tables;
  if (second)
    return [problem('invalid_attachments', 'only_one_table_allowed', 'blocks', second.at)];
  return tables.flatMap(({ block, at }) => {
    const rows = withRows.safeParse(block).data?.rows ?? [];
    const phrase =
      rows.length > tableLimits.rows
        ? phrases.tooMany(tableLimits.rows)
        : (rows[0]?.length ?? 0) > tableLimits.columns
          ? phrases.tooMany(tableLimits.columns)
          : countText(rows) > tableLimits.text
            ? phrases.tooLong(tableLimits.text)
            : undefined;
    return phrase ? [problem('invalid_attachments', phrase, 'blocks', at)] : [];
  });
}

/** Finds task cards next to a plan, which Slack rejects (gitlab-org/gitlab!242201). */
function findPlanProblems(sent: readonly JsonObject[]): Problem[] {
  const types = sent.map(({ type }) => type);
  const taskCard = types.indexOf('task_card');
  return taskCard >= 0 && types.includes('plan')
    ? [problem('invalid_blocks', phrases.oneOnly('plan', 'task_card'), 'blocks', taskCard)]
    : [];
}

function findLengthProblems(sent: readonly JsonObject[], shown: readonly Shown[]): Problem[] {
  const isMarkdown = sent.every(({ type }) => type === 'markdown');
  const hasRichText = shown.some(({ block }) => block['type'] === 'rich_text');
  const most = hasRichText && !isMarkdown ? messageTotals.textWithRichText : messageTotals.text;
  if (countText(sent) <= most) return [];
  const phrase = `the text of all blocks must be less than ${most + 1} characters`;
  return [problem('msg_blocks_too_long', phrase, 'blocks')];
}
