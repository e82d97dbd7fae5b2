import { useMemo, useState } from 'preact/hooks';
import type { MessageEntry } from '../../../page-server/page-entry.ts';
import { Blocks } from '../../blocks/blocks.tsx';
import { Icon } from '../../icon.tsx';
import { Avatar } from '../../sidebar/avatar.tsx';
import { usePage } from '../../state/page-context.ts';
import { SurfaceProvider } from '../../state/surface.tsx';
import { emojiCharacter } from '../../text/emoji.ts';
import { Mrkdwn } from '../../text/mrkdwn.tsx';
import { ThreadSummary } from '../thread-summary.tsx';
import { Attachments } from './attachments.tsx';
import { MessageActions } from './message-actions.tsx';
import { MessageEditor } from './message-editor.tsx';
import { MessageTime } from './message-time.tsx';
import { Reactions } from './reactions.tsx';
import { SharedFiles } from './shared-files.tsx';

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

/** As in Slack, blocks replace the text, which is then only for notifications. */
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
