import { useEffect, useMemo, useState } from 'preact/hooks';
import { usePage } from './page-context.ts';
import { countUnread, type LastRead, readUpTo } from './unread.ts';

/** The number of unread messages in a channel. Stored in this browser. */
export function useUnread(): (channel: string) => number {
  const { me, messages, channels, place } = usePage();
  const key = `lastRead/${me.id}`;
  const [lastRead, setLastRead] = useState<LastRead>(() => load(key));
  const here = place.channel;

  useEffect(() => setLastRead(load(key)), [key]);
  useEffect(() => {
    const isSeen = document.visibilityState === 'visible';
    const next = readUpTo(lastRead, { messages, channels, here: isSeen ? here : undefined });
    if (next === lastRead) return;
    localStorage.setItem(key, JSON.stringify(next));
    setLastRead(next);
  }, [messages, channels, here, lastRead]);

  const counts = useMemo(() => countUnread(lastRead, messages, me.id), [lastRead, messages, me.id]);
  return (channel) => counts.get(channel) ?? 0;
}

function load(key: string): LastRead {
  return JSON.parse(localStorage.getItem(key) ?? '{}') as LastRead;
}
