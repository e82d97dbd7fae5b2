import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { IconButton } from '../icon.tsx';
import { type Entries, entriesOf } from '../state/entries.ts';
import { TrafficLine } from './traffic-line.tsx';

type InspectorProps = { entries: Entries; close: () => void };

/** The traffic between app and workspace, newest last. */
export function Inspector({ entries, close }: InspectorProps) {
  const [query, setQuery] = useState('');
  const list = useRef<HTMLDivElement>(null);
  const traffic = entriesOf(entries, 'traffic').sort((one, two) => one.id - two.id);
  const shown = traffic.filter(({ name, outcome }) =>
    `${name} ${outcome}`.toLowerCase().includes(query.toLowerCase()),
  );
  const last = shown.at(-1)?.id;
  useLayoutEffect(() => {
    list.current?.scrollTo({ top: list.current.scrollHeight });
  }, [last]);
  return (
    <section class="inspector" aria-label="Traffic">
      <header class="inspector-header">
        <h2>Traffic</h2>
        <span class="muted">{traffic.length}</span>
        <input
          class="field"
          type="search"
          placeholder="Filter"
          aria-label="Filter traffic"
          value={query}
          onInput={(event) => setQuery(event.currentTarget.value)}
        />
        <IconButton icon="close" label="Close traffic" onClick={close} />
      </header>
      <div class="inspector-list" ref={list}>
        {shown.length === 0 && (
          <p class="empty muted">{query ? 'No matches.' : 'No traffic yet.'}</p>
        )}
        {shown.map((entry) => (
          <TrafficLine key={entry.id} entry={entry} />
        ))}
      </div>
    </section>
  );
}
