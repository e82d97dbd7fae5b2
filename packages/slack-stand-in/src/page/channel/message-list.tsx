import { Fragment } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import type { MessageEntry } from '../../page-server/page-entry.ts';
import { usePage } from '../state/page-context.ts';
import { formatDayDivider, isoDay } from '../text/date-token.ts';
import { Message } from './message.tsx';

type MessageListProps = {
  messages: MessageEntry[];
  place: 'channel' | 'thread';
  /** Puts an example into the composer. Undefined if the person can't post. */
  onSuggest?: ((text: string) => void) | undefined;
};

/** Max distance from the end of the list, in CSS pixels, at which the list scrolls to new messages. */
const nearEnd = 80;
/** Max time between two messages that share a heading, in ms. They must be from the same person. */
const togetherMs = 5 * 60_000;

export function MessageList({ messages, place, onSuggest }: MessageListProps) {
  const { me, nowMs, place: here } = usePage();
  const list = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);

  useLayoutEffect(() => {
    if (isAtEnd.current) list.current?.scrollTo({ top: list.current.scrollHeight });
  }, [messages]);
  useEffect(() => {
    const stay = () => {
      if (isAtEnd.current) list.current?.scrollTo({ top: list.current.scrollHeight });
    };
    window.addEventListener('resize', stay);
    return () => window.removeEventListener('resize', stay);
  }, []);
  useEffect(() => {
    if (place !== 'channel' || !here.thread) return;
    const linked = list.current?.querySelector(`[data-ts="${CSS.escape(here.thread)}"]`);
    linked?.scrollIntoView({ block: 'nearest' });
  }, [here.thread]);
  const onScroll = () => {
    const { scrollHeight = 0, scrollTop = 0, clientHeight = 0 } = list.current ?? {};
    isAtEnd.current = scrollHeight - scrollTop - clientHeight < nearEnd;
  };
  const reader = { timeZone: me.timeZone, nowMs };
  const dayOf = (message: MessageEntry) => isoDay(timeOf(message), me.timeZone);
  return (
    <div
      ref={list}
      class="message-list"
      role="log"
      aria-label={place === 'thread' ? 'Thread' : 'Messages'}
      onScroll={onScroll}
    >
      {messages.length === 0 && <EmptyChannel onSuggest={onSuggest} />}
      {messages.map((message, index) => {
        const previous = messages[index - 1];
        const isNewDay = !previous || dayOf(previous) !== dayOf(message);
        const isTogether = !isNewDay && previous && belongTogether(previous, message);
        return (
          <Fragment key={`${message.ts}${message.isEphemeral}`}>
            {isNewDay && (
              <div class="day-divider">
                <span>{formatDayDivider(timeOf(message), reader)}</span>
              </div>
            )}
            <Message message={message} place={place} isTogether={isTogether === true} />
          </Fragment>
        );
      })}
    </div>
  );
}

function timeOf({ ts }: { ts: string }): number {
  return Number(ts) * 1_000;
}

function belongTogether(one: MessageEntry, two: MessageEntry): boolean {
  const sameSender = one.user === two.user && one.username === two.username;
  const isPlain = [one, two].every(
    ({ blocks, isEphemeral }) => !isEphemeral && blocks.every(isTyped),
  );
  return sameSender && isPlain && timeOf(two) - timeOf(one) < togetherMs;
}

/**
 * Returns true for a `rich_text` block. Messages that people type consist of such blocks. Messages with other blocks
 * get a separate heading.
 */
function isTyped(block: unknown): boolean {
  return (
    typeof block === 'object' && block !== null && 'type' in block && block.type === 'rich_text'
  );
}

type EmptyChannelProps = { onSuggest?: ((text: string) => void) | undefined };

/** Shows examples in a channel without messages. A click on an example copies it into the composer. */
function EmptyChannel({ onSuggest }: EmptyChannelProps) {
  const { welcome } = usePage().team;
  if (!welcome || !onSuggest) return <p class="empty muted">No messages yet.</p>;
  return (
    <section class="welcome" aria-label="Welcome">
      <h2>{welcome.title}</h2>
      <p>{welcome.text}</p>
      <ul>
        {welcome.examples.map((example) => (
          <li key={example}>
            <button type="button" class="button" onClick={() => onSuggest(example)}>
              {example}
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
