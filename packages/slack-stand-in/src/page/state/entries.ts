import type { PageEntry } from '../../page-server/page-entry.ts';
import type { FeedFrame } from '../../page-server/page-protocol.ts';

export type Entries = ReadonlyMap<string, PageEntry>;

/** Applies a frame from the feed, and returns the new entries. Unchanged entries stay the same objects. */
export function applyFrame(entries: Entries, frame: FeedFrame): Entries {
  const next = new Map(frame.type === 'snapshot' ? [] : entries);
  for (const key of frame.removed) next.delete(key);
  for (const [key, entry] of frame.set) next.set(key, entry);
  return next;
}

type Kind = PageEntry['kind'];
type EntryOf<K extends Kind> = Extract<PageEntry, { kind: K }>;

export function entriesOf<K extends Kind>(entries: Entries, kind: K): EntryOf<K>[] {
  const isKind = (entry: PageEntry): entry is EntryOf<K> => entry.kind === kind;
  return [...entries.values()].filter(isKind);
}

export function entryOf<K extends Kind>(
  entries: Entries,
  kind: K,
  key: string,
): EntryOf<K> | undefined {
  const entry = entries.get(key);
  const isKind = (each: PageEntry): each is EntryOf<K> => each.kind === kind;
  return entry && isKind(entry) ? entry : undefined;
}
