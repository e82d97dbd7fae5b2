import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { TrafficEntry } from '../../page-server/page-entry.ts';
import { IconButton } from '../icon.tsx';
import { type Entries, entriesOf } from '../state/entries.ts';
import { usePage } from '../state/page-context.ts';
import { formatTime } from '../text/date-token.ts';
import { unpackJson } from './unpack-json.ts';

type InspectorProps = { entries: Entries; close: () => void };

/** Shows the traffic between app and workspace, newest last. */
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

const directions = {
  in: { sign: '←', title: 'App to workspace' },
  out: { sign: '→', title: 'Workspace to app' },
};

function TrafficLine({ entry }: { entry: TrafficEntry }) {
  const { me } = usePage();
  const [isOpen, setOpen] = useState(false);
  const line = useRef<HTMLDivElement>(null);
  const { sign, title } = directions[entry.direction];
  useEffect(() => {
    if (isOpen) line.current?.scrollIntoView({ block: 'nearest' });
  }, [isOpen]);
  return (
    <div
      ref={line}
      class={`traffic traffic-${entry.direction}${entry.isFailure ? ' is-failure' : ''}`}
    >
      <button
        type="button"
        class="traffic-line"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        <span class="muted">{formatTime(entry.atMs, me.timeZone, { second: '2-digit' })}</span>
        <span class="traffic-direction" title={title} role="img" aria-label={title}>
          {sign}
        </span>
        <strong>{entry.name}</strong>
        <span class="traffic-outcome">{entry.outcome}</span>
        <span class="muted traffic-duration">{entry.durationMs} ms</span>
      </button>
      {isOpen && (
        <div class="traffic-detail">
          <Json title="Request" value={entry.request} />
          <Json title="Response" value={entry.answer} />
        </div>
      )}
    </div>
  );
}

function Json({ title, value }: { title: string; value: unknown }) {
  return (
    <div>
      <h3>{title}</h3>
      <pre class="code-block">{JSON.stringify(unpackJson(value), null, 2) ?? '—'}</pre>
    </div>
  );
}
