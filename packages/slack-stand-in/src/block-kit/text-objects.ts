import { z } from 'zod';
import { countCodePoints, type Longest, part, textField } from './fields.ts';
import { limits } from './limits.ts';

const readable = (longest: Longest) => textField({ ...limits.text, ...longest });

export const plainText = (longest: Longest = limits.text) =>
  part('plain_text', { text: readable(longest), emoji: z.boolean().optional() });

export const mrkdwn = (longest: Longest = limits.text) =>
  part('mrkdwn', { text: readable(longest), verbatim: z.boolean().optional() });

export const anyText = (longest: Longest = limits.text) =>
  z.discriminatedUnion('type', [plainText(longest), mrkdwn(longest)]);

const cellText = textField(limits.data_table.cell_text);

/** Schema of a text in a table cell. A number in a cell is shown as its `text`. */
export const rawText = part('raw_text', { text: cellText });

export const rawNumber = part('raw_number', { value: z.number(), text: cellText });

/**
 * Fields whose text isn't counted, because it's hidden until a menu or a dialog opens. Slack's limit covers visible
 * text only.
 */
const hidden = new Set(['options', 'option_groups', 'confirm', 'placeholder']);

/**
 * Fields whose text is counted, because it's visible. `title` is included, because plans and tasks have plain titles.
 */
const shown = new Set(['text', 'title']);

/** Counts the code points of all text in blocks. The blocks must be valid, because the schemas limit their depth. */
export function countText(value: unknown): number {
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + countText(item), 0);
  if (typeof value !== 'object' || value === null) return 0;
  return Object.entries(value).reduce((sum, [key, item]) => {
    if (hidden.has(key)) return sum;
    return (
      sum + (shown.has(key) && typeof item === 'string' ? countCodePoints(item) : countText(item))
    );
  }, 0);
}
