import type { JsonObject } from '../lib/json.ts';

/** The error that Slack's client shows for a filled field; undefined if it's valid. */
export function checkField(element: JsonObject, value: JsonObject): string | undefined {
  const text = String(value['value'] ?? '');
  switch (element['type']) {
    case 'plain_text_input':
      return checkLength(element, [...text].length);
    case 'number_input':
      return checkNumber(element, text);
    case 'email_text_input':
      return /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(text)
        ? undefined
        : 'Enter an email address, such as name@example.com.';
    case 'url_text_input':
      return /^https?:\/\/\S+$/.test(text) && URL.canParse(text)
        ? undefined
        : 'Enter a web address that begins with http:// or https://.';
    default:
      return checkCount(element, value);
  }
}

function checkLength(element: JsonObject, length: number): string | undefined {
  const { min_length: least, max_length: most } = element;
  if (typeof least === 'number' && length < least) return `Enter at least ${least} characters.`;
  if (typeof most === 'number' && length > most) return `Enter at most ${most} characters.`;
  return undefined;
}

/** Bounds are text in Block Kit. */
function checkNumber(element: JsonObject, text: string): string | undefined {
  const number = Number(text);
  if (text.trim() === '' || Number.isNaN(number)) return 'Enter a number.';
  if (element['is_decimal_allowed'] !== true && !Number.isInteger(number)) {
    return 'Enter a whole number.';
  }
  const { min_value: least, max_value: most } = element;
  if (least !== undefined && number < Number(least)) return `Enter at least ${String(least)}.`;
  if (most !== undefined && number > Number(most)) return `Enter at most ${String(most)}.`;
  return undefined;
}

function checkCount(element: JsonObject, value: JsonObject): string | undefined {
  const most = element['max_selected_items'];
  const picked = Object.values(value).find(Array.isArray);
  const isTooMany = typeof most === 'number' && picked !== undefined && picked.length > most;
  return isTooMany ? `Pick at most ${most}.` : undefined;
}
