import { useMemo, useState } from 'preact/hooks';
import type { MessageEntry, SharedFileEntry } from '../../page-server/page-entry.ts';
import { Blocks } from '../blocks/blocks.tsx';
import { Icon } from '../icon.tsx';
import { Avatar } from '../sidebar/avatar.tsx';
import { usePage } from '../state/page-context.ts';
import { SurfaceProvider } from '../state/surface.tsx';
import { formatTime, renderDateToken } from '../text/date-token.ts';
import { emojiCharacter } from '../text/emoji.ts';
import { Emoji } from '../text/inline.tsx';
import { Mrkdwn } from '../text/mrkdwn.tsx';
import { Attachments } from './attachments.tsx';
import { MessageActions } from './message-actions.tsx';
import { MessageEditor } from './message-editor.tsx';

type MessageProps = { message: MessageEntry; place: 'channel' | 'thread'; isTogether: boolean };

export function Message({ message, place, isTogether }: MessageProps) {
  const { findPerson, place: here } = usePage();
  const { channel, ts } = message;
  const [isEditing, setEditing] = useState(false);
  const surface = useMemo(() => ({ kind: 'message' as const, channel, ts }), [channel, ts]);
  const sender = findPerson(message.user);
  const name = message.username ?? sender?.name ?? message.user;
  const person = { id: message.user, name, role: sender?.role ?? 'bot' };
  const isLinked = place === 'channel' && here.thread === ts;
  const classes = ['message'];
  if (isTogether) classes.push('is-together');
  if (message.isEphemeral) classes.push('is-ephemeral');
  if (isLinked) classes.push('is-linked');
  const isEditedBlocks = message.editedTs !== undefined && message.blocks.length > 0;
  const emoji = emojiCharacter(message.iconEmoji?.replaceAll(':', '') ?? '');
  return (
    <article class={classes.join(' ')} data-ts={ts} aria-label={`Message from ${name}`}>
      <div class="message-side">
        {isTogether ? (
          <MessageTime message={message} isQuiet />
        ) : (
          <Avatar person={person} emoji={emoji} />
        )}
      </div>
      <div class="message-main">
        {message.isEphemeral && (
          <div class="ephemeral-mark">
            <Icon name="eye" /> Only visible to you
          </div>
        )}
        {!isTogether && (
          <div class="message-head">
            <strong>{name}</strong>
            {person.role === 'bot' && <span class="app-mark">APP</span>}
            <MessageTime message={message} />
            {isEditedBlocks && <span class="edited-mark">(edited)</span>}
          </div>
        )}
        <SurfaceProvider surface={surface}>
          {isEditing ? (
            <MessageEditor message={message} done={() => setEditing(false)} />
          ) : (
            <MessageBody message={message} />
          )}
        </SurfaceProvider>
        <Reactions message={message} />
        {place === 'channel' && <ThreadSummary message={message} />}
      </div>
      <MessageActions message={message} place={place} edit={() => setEditing(true)} />
    </article>
  );
}

/**
 * Shows the blocks of a message. Shows the text of a message without blocks. With blocks, the text is only for
 * notifications.
 */
function MessageBody({ message }: { message: MessageEntry }) {
  return (
    <div class="message-body">
      {message.blocks.length > 0 ? (
        <Blocks blocks={message.blocks} />
      ) : (
        <Mrkdwn text={message.text} />
      )}
      {message.editedTs && message.blocks.length === 0 && (
        <span class="edited-mark"> (edited)</span>
      )}
      <Attachments attachments={message.attachments} />
      <SharedFiles files={message.files} />
    </div>
  );
}

type MessageTimeProps = { message: MessageEntry; isQuiet?: boolean };

function MessageTime({ message, isQuiet }: MessageTimeProps) {
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

function Reactions({ message }: { message: MessageEntry }) {
  const { me, perform, findPerson } = usePage();
  const { channel, ts, reactions } = message;
  if (reactions.length === 0) return null;
  return (
    <div class="reactions">
      {reactions.map(({ name, users }) => {
        const isMine = users.includes(me.id);
        const names = users.map((id) => findPerson(id)?.name ?? id).join(', ');
        return (
          <button
            key={name}
            type="button"
            class="reaction"
            aria-pressed={isMine}
            title={`${names} reacted with :${name}:`}
            onClick={() => perform({ type: 'react', channel, ts, name, on: !isMine })}
          >
            <Emoji name={name} /> {users.length}
          </button>
        );
      })}
    </div>
  );
}

/** Shows the names and sizes of shared files. The files' content isn't shown, because it requires the app's token. */
function SharedFiles({ files }: { files: readonly SharedFileEntry[] }) {
  if (files.length === 0) return null;
  return (
    <ul class="shared-files">
      {files.map(({ title, name, bytes }, index) => (
        <li key={index}>
          📄 <strong>{title}</strong> {name} ({Math.ceil(bytes / 1024).toLocaleString('en')} KB)
        </li>
      ))}
    </ul>
  );
}

const facesShown = 4;

/** Shows the number of replies, below the first message of a thread. */
function ThreadSummary({ message }: { message: MessageEntry }) {
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
