import { useEffect, useLayoutEffect } from 'preact/hooks';
import { AppHome } from '../app-home/app-home.tsx';
import { usePage } from '../state/page-context.ts';
import { ChannelView } from './channel-view.tsx';
import { ThreadPane } from './thread-pane.tsx';

/** What stands right of the sidebar: a channel, the app with its tabs, or nothing yet. */
export function MainView() {
  const { place, team, channels, findChannel, navigate } = usePage();
  const channel = findChannel(place.channel ?? channels.find((each) => each.isMember)?.id ?? '');
  const isApp = place.channel === 'home' || channel?.withPerson === team.app.botUserId;
  const thread = channel && place.thread;
  // Before anybody can choose another channel, which it would take back.
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
      {isApp && <AppHome key={place.channel} channel={channel} />}
      {!isApp && channel && <ChannelView channel={channel} />}
      {!isApp && !channel && <main class="main muted empty">There is no such channel here.</main>}
      {thread && <ThreadPane key={thread} channel={channel} threadTs={thread} />}
    </>
  );
}
