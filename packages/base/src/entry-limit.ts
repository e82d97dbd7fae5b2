/**
 * Options of an `LRUCache` with at most this many entries. Use it for caches that may stay small: with `max`, lru-cache
 * allocates the memory of all entries at creation, 0.4 MB for 10,000.
 */
export const entryLimit = (entries: number) => ({ maxSize: entries, sizeCalculation: () => 1 });
