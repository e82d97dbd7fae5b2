import { z } from 'zod';
import { richTextBlock, richTextText } from '../blocks/rich-text.ts';
import { countCodePoints, listOf, part, rule, textField } from '../fields.ts';
import { limits } from '../limits.ts';
import { phrases } from '../phrases.ts';
import { actionable, dispatching, focusable, withPlaceholder } from './element-fields.ts';

const typed = { ...actionable, ...dispatching, ...focusable, ...withPlaceholder };

const longest = limits.plain_text_input.max_length.max;

export const plainTextInput = part('plain_text_input', {
  ...typed,
  multiline: z.boolean().optional(),
  min_length: z.int().min(0).max(longest).optional(),
  max_length: z.int().min(1).max(longest).optional(),
  initial_value: textField({ max_length: longest }).optional(),
})
  .superRefine(
    rule('min_length', ({ min_length: least = 0, max_length: most = longest }) =>
      least > most ? phrases.tooBig(most) : undefined,
    ),
  )
  .superRefine(
    rule('initial_value', ({ initial_value: value = '', max_length: most = longest }) =>
      countCodePoints(value) > most ? phrases.tooLong(most) : undefined,
    ),
  );

const anything = { ...typed, initial_value: textField().optional() };

export const emailInput = part('email_text_input', anything);
export const urlInput = part('url_text_input', anything);

const decimal = z.string().regex(/^[+-]?\d{1,100}(\.\d{1,100})?$/, phrases.notOfForm('number'));

export const numberInput = part('number_input', {
  ...typed,
  is_decimal_allowed: z.boolean(),
  initial_value: decimal.optional(),
  min_value: decimal.optional(),
  max_value: decimal.optional(),
}).superRefine(
  rule('min_value', ({ min_value: least, max_value: most }) =>
    least !== undefined && most !== undefined && Number(least) > Number(most)
      ? phrases.tooBig(Number(most))
      : undefined,
  ),
);

const { min: fewest, max: most } = limits.file_input.max_files;

export const fileInput = part('file_input', {
  ...actionable,
  filetypes: listOf(textField({ min_length: 1 }), { min_items: 0, max_items: 100 }).optional(),
  max_files: z.int().min(fewest).max(most).optional(),
});

export const richTextInput = part('rich_text_input', {
  ...typed,
  // Documented as a rich_text block, but Slack's samples also have plain text.
  initial_value: z.discriminatedUnion('type', [richTextBlock, richTextText]).optional(),
  min_lines: z.int().min(1).optional(),
  max_lines: z.int().min(1).optional(),
});
