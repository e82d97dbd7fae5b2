import { z } from 'zod';
import { phrases } from '../phrases.ts';
import { type Problem, problem } from './problems.ts';
import { countText } from './text-count.ts';

/**
 * The undocumented limit of all text in one message, in code points: 12,000 for markdown. Slack refused rich text and
 * sections of 11,341 (bolt-js issues 2509 and 2867).
 */
const messageTotals = { text: 12_000, textWithRichText: 11_340, tables: 1 } as const;

const typed = z.looseObject({ type: z.string() });

/** The limits of all blocks of one message; each block is already valid. */
export function findTotalProblems(blocks: readonly unknown[]): Problem[] {
  const types = blocks.map((block) => typed.safeParse(block).data?.type);
  const secondTable = types.indexOf('table', types.indexOf('table') + 1);
  const most = types.includes('rich_text') ? messageTotals.textWithRichText : messageTotals.text;
  const problems: Problem[] = [];
  if (types.filter((type) => type === 'table').length > messageTotals.tables) {
    problems.push(problem('invalid_blocks', 'only one table is allowed', 'blocks', secondTable));
  }
  const taskCard = types.indexOf('task_card');
  if (taskCard >= 0 && types.includes('plan')) {
    // As reported in gitlab-org/gitlab!242201.
    problems.push(
      problem('invalid_blocks', phrases.oneOnly('plan', 'task_card'), 'blocks', taskCard),
    );
  }
  if (countText(blocks) > most) {
    const phrase = `the text of all blocks must be less than ${most + 1} characters`;
    problems.push(problem('msg_blocks_too_long', phrase, 'blocks'));
  }
  return problems;
}
