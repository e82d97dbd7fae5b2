/**
 * Returns a text with at most `limit` code points, the last one an ellipsis if it was cut. Reads only the start of a
 * long text.
 */
export function shorten(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const points = beginningOf(text, limit);
  return points.length <= limit ? text : `${points.slice(0, limit - 1).join('')}…`;
}

/** Returns true if a text has more than `limit` code points. */
export const isLonger = (text: string, limit: number): boolean =>
  text.length > limit && beginningOf(text, limit).length > limit;

/**
 * Returns the first code points, at least one more than `limit` if the text has them. Each has at most two UTF-16
 * units.
 */
const beginningOf = (text: string, limit: number): string[] => [...text.slice(0, 2 * (limit + 1))];
