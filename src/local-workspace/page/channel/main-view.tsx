import { AppHome } from '../app-home/app-home.tsx';
import { usePage } from '../state/page-context.ts';
import { ChannelView } from './channel-view.tsx';
import { ThreadPane } from './thread-pane.tsx';

/** What stands right of the sidebar: a channel, the app with its tabs, or nothing yet. */
export function MainView() {
  const { place, team, channels, findChannel } = usePage();
  const channel = findChannel(place.channel ?? channels.find((each) => each.isMember)?.id ?? '');
  const isApp = place.channel === 'home' || channel?.withPerson === team.app.botUserId;
  const thread = channel && place.thread;
  return (
    <>
      {isApp ? <AppHome channel={channel} /> : channel && <ChannelView channel={channel} />}
      {!isApp && !channel && <main class="main muted empty">There is no such channel here.</main>}
      {thread && <ThreadPane key={thread} channel={channel} threadTs={thread} />}
    </>
  );
}
