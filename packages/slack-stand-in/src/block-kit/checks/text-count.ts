import { countCodePoints } from '../fields.ts';

/** Hidden until a menu or a dialog opens. Slack's limit counts visible text. */
const hidden = new Set(['options', 'option_groups', 'confirm', 'placeholder']);

/** Fields with text to read. A plan and its tasks have plain titles. */
const shown = new Set(['text', 'title']);

/**
 * The code points of all text in one or more blocks. Only for blocks that the schemas accepted, because those have
 * limited depth.
 */
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
