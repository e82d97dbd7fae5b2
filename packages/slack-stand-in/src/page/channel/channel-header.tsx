import type { ChannelEntry } from '../../page-server/page-entry.ts';
import { Menu } from '../elements/menu.tsx';
import { Icon } from '../icon.tsx';
import { usePage } from '../state/page-context.ts';
import { BackLink } from './back-link.tsx';

export function ChannelHeader({ channel }: { channel: ChannelEntry }) {
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
