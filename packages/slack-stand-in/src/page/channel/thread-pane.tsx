import { useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import type { ChannelEntry, SessionEntry } from '../../page-server/page-entry.ts';
import { Composer } from '../composer/composer.tsx';
import { IconButton } from '../icon.tsx';
import { usePage } from '../state/page-context.ts';
import { MessageList } from './message-list.tsx';

type ThreadPaneProps = { channel: ChannelEntry; threadTs: string };

export function ThreadPane({ channel, threadTs }: ThreadPaneProps) {
  const { messages, passing: seenNow, navigate } = usePage();
  const pane = useRef<HTMLElement>(null);
  const inChannel = messages.filter((message) => message.channel === channel.id);
  const linked = inChannel.find((message) => message.ts === threadTs);
  // Open the thread that a reply belongs to, because a permalink may point to the reply itself.
  const rootTs = linked?.threadTs ?? threadTs;
  const openedAtSeconds = useMemo(() => Date.now() / 1000, [channel.id, rootTs]);
  const passing = seenNow.filter(
    (each) => each.channel === channel.id && Number(each.ts) >= openedAtSeconds,
  );
  const shown = [...inChannel, ...passing].filter(
    ({ ts, threadTs: root }) => ts === rootTs || root === rootTs,
  );
  const close = () => navigate({ channel: channel.id });

  useLayoutEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const isHere = pane.current?.contains(document.activeElement);
      if (event.key === 'Escape' && isHere && !event.defaultPrevented) close();
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, [channel.id]);

  return (
    <aside class="thread-pane" aria-label="Thread" ref={pane}>
      <header class="main-header">
        <h1>Thread</h1>
        <span class="header-end">
          <IconButton icon="close" label="Close thread" onClick={close} />
        </span>
      </header>
      <SessionLine channel={channel.id} threadTs={rootTs} />
      <MessageList messages={shown} place="thread" />
      {channel.isMember && <Composer channel={channel} threadTs={rootTs} />}
    </aside>
  );
}

const statusTexts: Record<SessionEntry['status'], string> = {
  processing: 'Working…',
  suspended: 'Waiting for a person',
  active: 'Ready',
  closed: 'Closed',
};

/** Shows the app's status in a thread, with a Stop button while the app works. */
function SessionLine({ channel, threadTs }: { channel: string; threadTs: string }) {
  const { team, perform, findSession } = usePage();
  const session = findSession(channel, threadTs);
  if (!session) return null;
  const { status, title, canBeStopped } = session;
  return (
    <div class="session-line" role="status" aria-label="Agent session">
      <span class="session-words">
        <strong>{team.app.name}</strong> {statusTexts[status]}
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
