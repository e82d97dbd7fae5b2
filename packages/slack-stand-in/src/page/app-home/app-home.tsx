import { useEffect, useState } from 'preact/hooks';
import type { ChannelEntry } from '../../page-server/page-entry.ts';
import { BackLink } from '../channel/back-link.tsx';
import { channelMessages } from '../channel/channel-messages.ts';
import { MessageList } from '../channel/message-list.tsx';
import { Composer } from '../composer/composer.tsx';
import { usePage } from '../state/page-context.ts';
import { AboutTab } from './about-tab.tsx';
import { HomeTab } from './home-tab.tsx';
import { Suggestions } from './suggestions.tsx';

type Tab = 'home' | 'messages' | 'about';
const names: Record<Tab, string> = { home: 'Home', messages: 'Messages', about: 'About' };

type AppHomeProps = {
  channel: ChannelEntry | undefined;
  /** The channel that the person came from. Slack shows both next to each other. */
  inView: string | undefined;
};

/** The app: its Home tab, messages and manifest. */
export function AppHome({ channel, inView }: AppHomeProps) {
  const { me, team, channels, messages, perform } = usePage();
  const first = channel || !team.app.hasHome ? 'messages' : 'home';
  const [tab, setTab] = useState<Tab>(first);
  const direct = channels.find((each) => each.withPerson === team.app.botUserId);

  useEffect(() => {
    // Slack sends an event when a person opens one of these tabs.
    if (tab !== 'about') void perform({ type: 'openApp', tab, ...(inView && { inView }) });
  }, [tab, me.id]);

  const isOffered = { home: team.app.hasHome, messages: team.app.hasMessages, about: true };
  const tabs = (['home', 'messages', 'about'] as const).filter((each) => isOffered[each]);
  return (
    <main class="main">
      <header class="main-header has-tabs">
        <BackLink />
        <h1>{team.app.name}</h1>
        <span class="app-mark">APP</span>
        <div class="tabs" role="tablist" aria-label={team.app.name}>
          {tabs.map((each) => (
            <button
              key={each}
              type="button"
              role="tab"
              aria-selected={tab === each}
              class="tab"
              onClick={() => setTab(each)}
            >
              {names[each]}
            </button>
          ))}
        </div>
      </header>
      {tab === 'home' && <HomeTab />}
      {tab === 'about' && <AboutTab />}
      {tab === 'messages' && (
        <>
          <MessageList messages={channelMessages(messages, direct?.id ?? '')} place="channel" />
          {team.app.isReadOnly ? (
            <p class="composer-closed">You can't send messages to {team.app.name}.</p>
          ) : (
            direct && (
              <>
                <Suggestions channel={direct} inView={inView} />
                <Composer key={direct.id} channel={direct} inView={inView} />
              </>
            )
          )}
        </>
      )}
    </main>
  );
}
