import { entryLimit } from 'base/entry-limit';
import { LRUCache } from 'lru-cache';

const perMinute = 600;
const minuteMs = 60_000;

/**
 * Creates a limit of deliveries for each webhook. It counts in memory, because it only protects the store from a sender
 * that repeats itself without end. The function counts a delivery and returns the ms until there's room, or 0.
 */
export function createDeliveryRate() {
  const counted = new LRUCache<string, { startedAt: number; count: number }>(entryLimit(10_000));
  return (id: string, now: number): number => {
    const last = counted.get(id);
    const isOver = !last || now < last.startedAt || now >= last.startedAt + minuteMs;
    const minute = isOver ? { startedAt: now, count: 0 } : last;
    if (isOver) counted.set(id, minute);
    if (minute.count >= perMinute) return minute.startedAt + minuteMs - now;
    minute.count += 1;
    return 0;
  };
}
