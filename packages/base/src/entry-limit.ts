/**
 * Options of an `LRUCache` with room for so many entries. Use it for caches that may stay small: with `max`, lru-cache
 * takes the memory of all entries when it's created, 0.4 MB for 10,000.
 */
export const entryLimit = (entries: number) => ({ maxSize: entries, sizeCalculation: () => 1 });
