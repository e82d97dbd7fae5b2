import type { ChannelEntry } from '../../page-server/page-entry.ts';
import { usePage } from '../state/page-context.ts';

type SuggestionsProps = { channel: ChannelEntry; inView: string | undefined };

/** What the app suggests to write to it. A click sends it. */
export function Suggestions({ channel, inView }: SuggestionsProps) {
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
