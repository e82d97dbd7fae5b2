import type { MessageEntry } from '../../page-server/page-entry.ts';
import { Menu, type MenuItem } from '../elements/menu.tsx';
import { Icon, IconButton } from '../icon.tsx';
import { usePage } from '../state/page-context.ts';
import { reactionNames } from '../text/emoji.ts';
import { Emoji } from '../text/inline.tsx';

type MessageActionsProps = {
  message: MessageEntry;
  place: 'channel' | 'thread';
  edit: () => void;
};

/** Shows a message's buttons and menu. They appear on hover and focus. */
export function MessageActions({ message, place, edit }: MessageActionsProps) {
  const { me, team, perform, navigate } = usePage();
  const { channel, ts } = message;
  if (message.isEphemeral) return null;
  const reactions: MenuItem[] = reactionNames.map((name) => ({
    key: name,
    label: (
      <span>
        <Emoji name={name} /> {name.replaceAll('_', ' ')}
      </span>
    ),
    choose: () => perform({ type: 'react', channel, ts, name, on: true }),
  }));
  const shortcuts: MenuItem[] = team.app.messageShortcuts.map((shortcut) => ({
    key: shortcut.callbackId,
    label: shortcut.name,
    description: `${team.app.name} · ${shortcut.description}`,
    choose: () =>
      perform({ type: 'messageShortcut', channel, ts, callbackId: shortcut.callbackId }),
  }));
  const copyLink: MenuItem = {
    key: 'copy link',
    label: 'Copy link',
    choose: () => navigator.clipboard.writeText(permalink(message)),
  };
  const change: MenuItem = { key: 'edit', label: 'Edit message', choose: edit };
  const remove: MenuItem = {
    key: 'delete',
    label: 'Delete message',
    isDanger: true,
    choose: () => perform({ type: 'deleteMessage', channel, ts }),
  };
  const isMine = message.user === me.id;
  const canDelete = isMine || me.role === 'admin' || me.role === 'owner';
  return (
    <div class="message-actions">
      <Menu
        label="Add reaction"
        trigger={<Icon name="smile" />}
        items={reactions}
        class="icon-button"
      />
      {place === 'channel' && (
        <IconButton
          icon="reply"
          label="Reply in thread"
          onClick={() => navigate({ channel, thread: message.threadTs ?? ts })}
        />
      )}
      <Menu
        label="More actions"
        trigger={<Icon name="more" />}
        items={[
          ...shortcuts,
          copyLink,
          ...(isMine ? [change] : []),
          ...(canDelete ? [remove] : []),
        ]}
        class="icon-button"
      />
    </div>
  );
}

function permalink({ channel, ts, threadTs }: MessageEntry): string {
  const url = new URL(`/archives/${channel}/p${ts.replace('.', '')}`, location.href);
  if (threadTs && threadTs !== ts) url.searchParams.set('thread_ts', threadTs);
  url.hash = '';
  return url.href;
}
