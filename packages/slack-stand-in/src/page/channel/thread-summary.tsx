import type { MessageEntry } from '../../page-server/page-entry.ts';
import { Avatar } from '../sidebar/avatar.tsx';
import { usePage } from '../state/page-context.ts';
import { renderDateToken } from '../text/date-token.ts';

const facesShown = 4;

/** "3 replies", below the first message of a thread. */
export function ThreadSummary({ message }: { message: MessageEntry }) {
  const { me, nowMs, messages, findPerson, navigate } = usePage();
  const { channel, ts } = message;
  if (message.isBroadcast && message.threadTs) {
    return (
      <button
        type="button"
        class="thread-summary"
        onClick={() => navigate({ channel, thread: message.threadTs })}
      >
        View thread
      </button>
    );
  }
  const replies = messages.filter(
    (each) => each.channel === channel && each.threadTs === ts && each.ts !== ts,
  );
  const last = replies.at(-1);
  if (!last) return null;
  const senders = [...new Set(replies.map((reply) => reply.user))].slice(0, facesShown);
  const ago = { seconds: Math.floor(Number(last.ts)), format: '{ago}', fallback: '' };
  return (
    <button type="button" class="thread-summary" onClick={() => navigate({ channel, thread: ts })}>
      {senders.map((id) => {
        const person = findPerson(id) ?? { id, name: id, role: 'bot' as const };
        return <Avatar key={id} person={person} size="small" />;
      })}
      <strong>
        {replies.length} {replies.length === 1 ? 'reply' : 'replies'}
      </strong>
      <span class="muted">Last reply {renderDateToken(ago, { timeZone: me.timeZone, nowMs })}</span>
    </button>
  );
}
