import { useEffect, useRef, useState } from 'preact/hooks';
import type { TrafficEntry } from '../../page-server/page-entry.ts';
import { usePage } from '../state/page-context.ts';
import { formatTime } from '../text/date-token.ts';
import { unpackJson } from './unpack-json.ts';

const directions = {
  in: { sign: '←', title: 'App to workspace' },
  out: { sign: '→', title: 'Workspace to app' },
};

export function TrafficLine({ entry }: { entry: TrafficEntry }) {
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
