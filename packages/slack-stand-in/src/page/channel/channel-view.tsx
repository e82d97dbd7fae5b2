import { useState } from 'preact/hooks';
import type { ChannelEntry } from '../../page-server/page-entry.ts';
import { Composer } from '../composer/composer.tsx';
import { usePage } from '../state/page-context.ts';
import { ChannelHeader } from './channel-header.tsx';
import { channelMessages } from './channel-messages.ts';
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
