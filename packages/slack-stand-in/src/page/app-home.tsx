import { useEffect, useMemo, useState } from 'preact/hooks';
import type { ChannelEntry } from '../page-server/page-entry.ts';
import { Blocks } from './blocks/blocks.tsx';
import { BackLink, channelMessages } from './channel/channel-view.tsx';
import { MessageList } from './channel/message-list.tsx';
import { Composer } from './composer/composer.tsx';
import { usePage } from './state/page-context.ts';
import { SurfaceProvider } from './state/surface.tsx';

type Tab = 'home' | 'messages' | 'about';
const names: Record<Tab, string> = { home: 'Home', messages: 'Messages', about: 'About' };

type AppHomeProps = {
  channel: ChannelEntry | undefined;
  /** Channel that the person came from. Slack shows it next to the app. */
  inView: string | undefined;
};

/** Shows the app, with tabs for its Home tab, its messages, and details from its manifest. */
export function AppHome({ channel, inView }: AppHomeProps) {
  const { me, team, channels, messages, perform } = usePage();
  const first = channel || !team.app.hasHome ? 'messages' : 'home';
  const [tab, setTab] = useState<Tab>(first);
  const direct = channels.find((each) => each.withPerson === team.app.botUserId);

  useEffect(() => {
    // Tell the server, because Slack sends an event when a person opens one of these tabs.
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

function HomeTab() {
  const { home, team } = usePage();
  const viewId = home?.view.id ?? '';
  const surface = useMemo(() => ({ kind: 'view' as const, viewId }), [viewId]);
  if (!home) {
    return <p class="empty muted">{team.app.name} hasn't published its Home tab yet.</p>;
  }
  return (
    <div class="home-tab" role="tabpanel" aria-label="Home">
      <div class="home-content">
        <SurfaceProvider surface={surface}>
          <Blocks blocks={home.view.blocks} />
        </SurfaceProvider>
      </div>
    </div>
  );
}

/** Shows the app's description, commands and shortcuts from its manifest. */
function AboutTab() {
  const { app } = usePage().team;
  const lists = [
    {
      title: 'Commands',
      items: app.commands.map((each) => [`${each.command} ${each.usageHint}`, each.description]),
    },
    {
      title: 'Message shortcuts',
      items: app.messageShortcuts.map((each) => [each.name, each.description]),
    },
    {
      title: 'Global shortcuts',
      items: app.globalShortcuts.map((each) => [each.name, each.description]),
    },
  ];
  return (
    <div class="home-tab" role="tabpanel" aria-label="About">
      <div class="home-content">
        <p>{app.description}</p>
        {lists
          .filter(({ items }) => items.length > 0)
          .map(({ title, items }) => (
            <section key={title}>
              <h3 class="header-block">{title}</h3>
              <dl class="about-list">
                {items.map(([name, description]) => (
                  <div key={name}>
                    <dt>{name}</dt>
                    <dd class="muted">{description}</dd>
                  </div>
                ))}
              </dl>
            </section>
          ))}
      </div>
    </div>
  );
}

type SuggestionsProps = { channel: ChannelEntry; inView: string | undefined };

/** Shows the prompts that the app suggests. A click on a prompt sends it as a message. */
function Suggestions({ channel, inView }: SuggestionsProps) {
  const { perform, findChannel } = usePage();
  const { title = '', prompts = [] } = channel.suggestions ?? {};
  const seen = findChannel(inView ?? '');
  const send = (text: string) =>
    perform({ type: 'send', channel: channel.id, text, ...(inView && { inView }) });
  return (
    <div class="suggestions">
      {seen && <span class="muted">The app knows that you came from #{seen.name}.</span>}
      {prompts.length > 0 && <strong>{title || 'Suggested'}</strong>}
      {prompts.map(({ title: label, message }) => (
        <button
          key={label}
          type="button"
          class="button"
          title={message}
          onClick={() => send(message)}
        >
          {label}
        </button>
      ))}
    </div>
  );
}
