import type { SessionEntry } from '../../page-server/page-entry.ts';
import { usePage } from '../state/page-context.ts';

const words: Record<SessionEntry['status'], string> = {
  processing: 'Working…',
  suspended: 'Waiting for a person',
  active: 'Ready',
  closed: 'Closed',
};

/** What the app does in a thread, with Stop while it works. */
export function SessionLine({ channel, threadTs }: { channel: string; threadTs: string }) {
  const { team, perform, findSession } = usePage();
  const session = findSession(channel, threadTs);
  if (!session) return null;
  const { status, title, canBeStopped } = session;
  return (
    <div class="session-line" role="status" aria-label="Agent session">
      <span class="session-words">
        <strong>{team.app.name}</strong> {words[status]}
        {title && <span class="muted"> · {title}</span>}
      </span>
      {status === 'processing' && canBeStopped && (
        <button
          type="button"
          class="button"
          onClick={() => perform({ type: 'stopSession', channel, threadTs })}
        >
          Stop
        </button>
      )}
    </div>
  );
}
