import { ApiError } from './api-error.ts';

type PageArgs = { cursor?: string | undefined; limit?: number | undefined };

/**
 * Returns one page of a list of items with stable keys. The cursor names the first item of the next page, so that
 * growing lists repeat or skip nothing. As in Slack, cursors are opaque.
 */
export function pageOf<Item>(
  items: readonly Item[],
  keyOf: (item: Item) => string,
  { cursor, limit }: PageArgs,
  {
    usual,
    most,
    limitError = 'invalid_limit',
  }: { usual: number; most: number; limitError?: string },
): { items: Item[]; hasMore: boolean; next: { next_cursor: string } } {
  const size = limit || usual;
  if (size < 1 || size > most) throw new ApiError(limitError);
  const start = cursor ? items.findIndex((item) => encode(keyOf(item)) === cursor) : 0;
  if (start < 0) throw new ApiError('invalid_cursor');
  const following = items[start + size];
  const next = following === undefined ? '' : encode(keyOf(following));
  return {
    items: items.slice(start, start + size),
    hasMore: following !== undefined,
    next: { next_cursor: next },
  };
}

function encode(key: string): string {
  return Buffer.from(`next:${key}`).toString('base64');
}
