import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { AppHome } from './app-home.tsx';
import { ChannelView } from './channel/channel-view.tsx';
import { ThreadPane } from './channel/thread-pane.tsx';
import { FlexpaneView } from './entity/flexpane-view.tsx';
import { Inspector } from './inspector/inspector.tsx';
import { ConfirmDialog, useConfirm } from './modal/confirm-dialog.tsx';
import { ModalStack } from './modal/modal.tsx';
import { Notice } from './notice.tsx';
import { Sidebar } from './sidebar/sidebar.tsx';
import { PageContext, usePage } from './state/page-context.ts';
import type { PageSettings } from './state/perform.ts';
import { usePlace } from './state/place.ts';
import { useFeed } from './state/use-feed.ts';
import { usePageState } from './state/use-page-state.ts';

export function App({ settings }: { settings: PageSettings }) {
  const { place, navigate } = usePlace();
  const personId = place.person ?? settings.firstPerson;
  const { entries, connection } = useFeed(settings.token, personId);
  const { question, confirm, answer } = useConfirm();
  const [notice, setNotice] = useState<string>();
  const [isInspecting, setInspecting] = useState(false);
  const page = usePageState({ settings, entries, personId, place, navigate, confirm, setNotice });

  if (!page) {
    return (
      <div class="loading" role="status">
        {connection === 'lost' ? "Can't reach the workspace. Reconnecting…" : 'Loading…'}
      </div>
    );
  }
  return (
    <PageContext.Provider value={page}>
      <div
        class={`shell${place.channel ? ' at-channel' : ''}${place.thread || page.flexpane ? ' at-thread' : ''}`}
      >
        <Sidebar isInspecting={isInspecting} toggleInspector={() => setInspecting(!isInspecting)} />
        <MainView />
        {isInspecting && <Inspector entries={entries} close={() => setInspecting(false)} />}
      </div>
      {connection === 'lost' && (
        <div class="connection-lost" role="status">
          Connection lost. Reconnecting…
        </div>
      )}
      <Notice text={notice} dismiss={() => setNotice(undefined)} />
      <ModalStack entries={entries} />
      {question && <ConfirmDialog question={question} answer={answer} />}
    </PageContext.Provider>
  );
}

/** Shows a channel, or the app with its tabs, in the main area. */
function MainView() {
  const { place, team, channels, flexpane, findChannel, navigate } = usePage();
  const channel = findChannel(place.channel ?? channels.find((each) => each.isMember)?.id ?? '');
  const isApp = place.channel === 'home' || channel?.withPerson === team.app.botUserId;
  const thread = channel && place.thread;
  const seen = useRef<string>(undefined);
  if (channel && !isApp) seen.current = channel.id;
  // Open a channel on a wide screen if none is open. Do it before the next paint, so that it can't override a click
  // on another channel.
  useLayoutEffect(() => {
    const isWide = window.matchMedia('(width > 760px)').matches;
    if (!place.channel && channel && isWide) navigate({ channel: channel.id });
  }, [place.channel, channel?.id]);
  useEffect(() => {
    const name = isApp ? team.app.name : channel?.name;
    document.title = [name, team.name].filter(Boolean).join(' · ');
  }, [isApp, channel?.name, team]);
  return (
    <>
      {isApp && <AppHome key={place.channel} channel={channel} inView={seen.current} />}
      {!isApp && channel && <ChannelView channel={channel} />}
      {!isApp && !channel && (
        <main class="main muted empty">You can't see this channel, or it doesn't exist.</main>
      )}
      {flexpane && <FlexpaneView key={flexpane.key} flexpane={flexpane} />}
      {!flexpane && thread && <ThreadPane key={thread} channel={channel} threadTs={thread} />}
    </>
  );
}
