import { z } from 'zod';
import { phrases } from './phrases.ts';

/** Counts code points as Slack does, because `string.length` counts most emoji twice. */
export function countCodePoints(text: string): number {
  let count = text.length;
  for (let index = 0; index < text.length - 1; index += 1) {
    const high = text.charCodeAt(index);
    if (high < 0xd800 || high > 0xdbff) continue;
    const low = text.charCodeAt(index + 1);
    if (low >= 0xdc00 && low <= 0xdfff) {
      count -= 1;
      index += 1;
    }
  }
  return count;
}

/** Max length of a text, in code points. The field has the same name as in `limits.ts`. */
export type Longest = { max_length: number };
type Length = Partial<Longest> & { min_length?: number };

export function textField({
  min_length: min = 0,
  max_length: max = Number.POSITIVE_INFINITY,
}: Length = {}) {
  return z.string().superRefine((text, context) => {
    const length = countCodePoints(text);
    if (length > max) context.addIssue(phrases.tooLong(max));
    else if (length < min) context.addIssue(phrases.tooShort(min));
  });
}

/** Creates the schema of a URL with a scheme. Slack rejects `example.com` and `/path`. */
export function urlField({ max_length: max }: Longest) {
  return textField({ min_length: 1, max_length: max }).superRefine((url, context) => {
    if (url.length <= max * 2 && !URL.canParse(url)) context.addIssue(phrases.notOfForm('uri'));
  });
}

export function webUrlField(longest: Longest) {
  return urlField(longest).superRefine((url, context) => {
    if (/^[a-z][a-z0-9+.-]*:/i.test(url) && !/^https?:/i.test(url)) {
      context.addIssue(phrases.notOfForm('uri'));
    }
  });
}

type Count = { min_items?: number; max_items: number };

/**
 * Creates the schema of a list. The number of items is checked before the items, so that a million items cost nothing.
 */
export function listOf<Item extends z.ZodType>(
  item: Item,
  { min_items: min = 1, max_items: max }: Count,
) {
  return z.array(z.unknown()).min(min).max(max).pipe(z.array(item));
}

/** Creates the schema of a Block Kit object, which is identified by its `type`. Other fields are rejected. */
export const part = <Type extends string, Shape extends z.ZodRawShape>(type: Type, shape: Shape) =>
  z.strictObject({ type: z.literal(type), ...shape });

/**
 * Creates a rule that checks several fields of an object together. `check` returns Slack's wording of the problem, or
 * undefined if the fields are valid.
 */
export function rule<Value>(at: string | undefined, check: (value: Value) => string | undefined) {
  return (value: Value, context: z.RefinementCtx) => {
    const message = check(value);
    if (message === undefined) return;
    context.addIssue({ code: 'custom', message, path: at === undefined ? [] : [at] });
  };
}
