import { z } from 'zod';
import { richTextBlock, richTextText } from '../blocks/rich-text.ts';
import {
  actionable,
  choosable,
  dispatching,
  focusable,
  withPlaceholder,
} from '../composition-objects.ts';
import { countCodePoints, listOf, part, rule, textField } from '../fields.ts';
import { limits } from '../limits.ts';
import { phrases } from '../phrases.ts';

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
  // Accept plain text, because Slack's samples contain it. The reference documents only a rich_text block.
  initial_value: z.discriminatedUnion('type', [richTextBlock, richTextText]).optional(),
  min_lines: z.int().min(1).optional(),
  max_lines: z.int().min(1).optional(),
});

/** Schema of a date that exists in the calendar. It rejects 2026-02-30. */
const day = z.string().refine(isDay, phrases.notOfForm('date'));

function isDay(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}

const timeOfDay = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, phrases.notOfForm('time'));

/** Schema of a time in Unix seconds, which has ten digits. */
const moment = z.int().min(1_000_000_000).max(9_999_999_999);

export const datepicker = part('datepicker', {
  ...choosable,
  ...withPlaceholder,
  initial_date: day.optional(),
});

export const timepicker = part('timepicker', {
  ...choosable,
  ...withPlaceholder,
  initial_time: timeOfDay.optional(),
  timezone: z.string().refine(isTimeZone, phrases.notOfForm('timezone')).optional(),
});

export const datetimepicker = part('datetimepicker', {
  ...choosable,
  initial_date_time: moment.optional(),
});

function isTimeZone(name: string): boolean {
  // Check the name of the time zone, because Intl also accepts offsets such as +02:00, which aren't IANA names.
  if (!/^[A-Za-z][A-Za-z0-9_+/-]{0,63}$/.test(name)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
