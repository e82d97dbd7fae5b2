import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { AppHome } from '../app-home/app-home.tsx';
import { FlexpaneView } from '../entity/flexpane-view.tsx';
import { usePage } from '../state/page-context.ts';
import { ChannelView } from './channel-view.tsx';
import { ThreadPane } from './thread-pane.tsx';

/** The main area: a channel, or the app with its tabs. */
export function MainView() {
  const { place, team, channels, flexpane, findChannel, navigate } = usePage();
  const channel = findChannel(place.channel ?? channels.find((each) => each.isMember)?.id ?? '');
  const isApp = place.channel === 'home' || channel?.withPerson === team.app.botUserId;
  const thread = channel && place.thread;
  const seen = useRef<string>(undefined);
  if (channel && !isApp) seen.current = channel.id;
  // In a layout effect, so that it can't override a click on another channel.
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
