import { z } from 'zod';
import { textField } from './fields.ts';
import { limits } from './limits.ts';

const range = (max: number) => ({ min: limits.text.min_length, max });

export function plainText(max: number = limits.text.max_length) {
  return z.strictObject({
    type: z.literal('plain_text'),
    text: textField(range(max)),
    emoji: z.boolean().optional(),
  });
}

export function mrkdwn(max: number = limits.text.max_length) {
  return z.strictObject({
    type: z.literal('mrkdwn'),
    text: textField(range(max)),
    verbatim: z.boolean().optional(),
  });
}

export function anyText(max: number = limits.text.max_length) {
  return z.discriminatedUnion('type', [plainText(max), mrkdwn(max)]);
}

/** Cells of tables. A number is shown as its `text`. */
export const rawText = z.strictObject({
  type: z.literal('raw_text'),
  text: textField({ min: limits.data_table.cell_text.min_length }),
});

export const rawNumber = z.strictObject({
  type: z.literal('raw_number'),
  value: z.number(),
  text: textField({ min: limits.data_table.cell_text.min_length }),
});
