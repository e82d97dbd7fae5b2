/** A text cut to `limit` code points, the last one an ellipsis. Reads only the start of a long text. */
export function shorten(text: string, limit: number): string {
  // A code point has at most two UTF-16 units.
  const points = [...text.slice(0, 2 * (limit + 1))];
  return points.length <= limit ? text : `${points.slice(0, limit - 1).join('')}…`;
}
