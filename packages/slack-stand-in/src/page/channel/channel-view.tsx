import { useState } from 'preact/hooks';
import type { ChannelEntry, MessageEntry } from '../../page-server/page-entry.ts';
import { Composer } from '../composer/composer.tsx';
import { Menu } from '../elements/menu.tsx';
import { Icon } from '../icon.tsx';
import { usePage } from '../state/page-context.ts';
import { writePlace } from '../state/place.ts';
import { MessageList } from './message-list.tsx';

export function ChannelView({ channel }: { channel: ChannelEntry }) {
  const { messages, perform } = usePage();
  const shown = channelMessages(messages, channel.id);
  const [suggestion, setSuggestion] = useState<{ text: string }>();
  const join = () => perform({ type: 'join', channel: channel.id });
  return (
    <main class="main">
      <ChannelHeader channel={channel} />
      <MessageList
        key={channel.id}
        messages={shown}
        place="channel"
        onSuggest={channel.isMember ? (text) => setSuggestion({ text }) : undefined}
      />
      {channel.isMember ? (
        <Composer key={channel.id} channel={channel} suggestion={suggestion} />
      ) : (
        <div class="composer-closed">
          You're not in #{channel.name}.
          <button type="button" class="button" onClick={join}>
            Join channel
          </button>
        </div>
      )}
    </main>
  );
}

function ChannelHeader({ channel }: { channel: ChannelEntry }) {
  const { team, perform, findPerson } = usePage();
  const isDirect = channel.type === 'direct';
  const name = isDirect ? findPerson(channel.withPerson ?? '')?.name : channel.name;
  const names = channel.memberIds.map((id) => findPerson(id)?.name ?? id);
  const setApp = (on: boolean) => perform({ type: 'setAppInChannel', channel: channel.id, on });
  const item = channel.hasApp
    ? {
        key: 'remove',
        label: `Remove ${team.app.name} from this channel`,
        isDanger: true,
        choose: () => setApp(false),
      }
    : { key: 'add', label: `Add ${team.app.name} to this channel`, choose: () => setApp(true) };
  return (
    <header class="main-header">
      <BackLink />
      <h1>
        {!isDirect && <Icon name={channel.type === 'private' ? 'lock' : 'hash'} />}
        {name}
      </h1>
      {channel.topic && <span class="topic muted">{channel.topic}</span>}
      <span class="header-end">
        {!isDirect && (
          <span class="muted header-members" title={names.join(', ')}>
            {names.length === 1 ? '1 member' : `${names.length} members`}
          </span>
        )}
        {!isDirect && channel.isMember && (
          <Menu
            label="Channel options"
            trigger={<Icon name="more" />}
            items={[item]}
            class="icon-button"
          />
        )}
      </span>
    </header>
  );
}

/** Shows a link to the sidebar, which is a separate page on a narrow screen. */
export function BackLink() {
  const { me } = usePage();
  return (
    <a class="back-link" href={writePlace({ person: me.id })} aria-label="Back to all channels">
      <Icon name="back" />
    </a>
  );
}

/** Returns the messages of a channel, without replies that were sent only to their thread. */
export function channelMessages(messages: MessageEntry[], channel: string): MessageEntry[] {
  return messages.filter(
    (message) =>
      message.channel === channel &&
      (message.threadTs === undefined || message.threadTs === message.ts || message.isBroadcast),
  );
}
