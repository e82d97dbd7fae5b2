import type { MessageEntry } from '../../../page-server/page-entry.ts';
import { usePage } from '../../state/page-context.ts';
import { formatTime } from '../../text/date-token.ts';

type MessageTimeProps = { message: MessageEntry; isQuiet?: boolean };

export function MessageTime({ message, isQuiet }: MessageTimeProps) {
  const { me } = usePage();
  const atMs = Number(message.ts) * 1_000;
  const full = new Intl.DateTimeFormat('en-US', {
    timeZone: me.timeZone,
    dateStyle: 'full',
    timeStyle: 'medium',
  });
  return (
    <time
      class={`message-time muted${isQuiet ? ' is-quiet' : ''}`}
      dateTime={new Date(atMs).toISOString()}
      title={full.format(atMs)}
    >
      {formatTime(atMs, me.timeZone)}
    </time>
  );
}
