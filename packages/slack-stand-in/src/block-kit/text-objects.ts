import { z } from 'zod';
import { type Longest, part, textField } from './fields.ts';
import { limits } from './limits.ts';

const readable = (longest: Longest) => textField({ ...limits.text, ...longest });

export const plainText = (longest: Longest = limits.text) =>
  part('plain_text', { text: readable(longest), emoji: z.boolean().optional() });

export const mrkdwn = (longest: Longest = limits.text) =>
  part('mrkdwn', { text: readable(longest), verbatim: z.boolean().optional() });

export const anyText = (longest: Longest = limits.text) =>
  z.discriminatedUnion('type', [plainText(longest), mrkdwn(longest)]);

const cellText = textField(limits.data_table.cell_text);

/** Cells of tables. A number is shown as its `text`. */
export const rawText = part('raw_text', { text: cellText });

export const rawNumber = part('raw_number', { value: z.number(), text: cellText });
