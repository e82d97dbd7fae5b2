import { Icon } from '../icon.tsx';
import { usePage } from '../state/page-context.ts';
import { useUnread } from '../state/use-unread.ts';
import { Avatar } from './avatar.tsx';
import { NewDirectMessage } from './new-direct-message.tsx';
import { PersonSwitcher } from './person-switcher.tsx';
import { SidebarGroup, SidebarLink } from './sidebar-link.tsx';

type SidebarProps = { isInspecting: boolean; toggleInspector: () => void };

export function Sidebar({ isInspecting, toggleInspector }: SidebarProps) {
  const { team, channels, place, findPerson } = usePage();
  const unread = useUnread();
  const named = channels.filter(({ type, isMember }) => type !== 'direct' && isMember);
  const others = channels.filter(({ type, isMember }) => type !== 'direct' && !isMember);
  const direct = channels.filter(({ type }) => type === 'direct');
  const withApp = direct.find((channel) => channel.withPerson === team.app.botUserId);
  const withPeople = direct.filter((channel) => channel !== withApp);
  const bot = { id: team.app.botUserId, name: team.app.name, role: 'bot' as const };
  const link = (channel: (typeof channels)[number]) => ({
    to: channel.id,
    isHere: place.channel === channel.id,
    unreadCount: unread(channel.id),
  });
  return (
    <nav class="sidebar" aria-label="Workspace">
      <header class="sidebar-header">
        <strong>{team.name}</strong>
        <small>Local workspace</small>
      </header>
      <div class="sidebar-scroll">
        <SidebarGroup title="Channels">
          {named.map((channel) => (
            <SidebarLink
              key={channel.id}
              {...link(channel)}
              icon={<Icon name={channel.type === 'private' ? 'lock' : 'hash'} />}
            >
              {channel.name}
            </SidebarLink>
          ))}
          {others.map((channel) => (
            <SidebarLink key={channel.id} {...link(channel)} icon={<Icon name="hash" />} isDim>
              {channel.name}
            </SidebarLink>
          ))}
        </SidebarGroup>
        <SidebarGroup title="Direct messages" action={<NewDirectMessage />}>
          {withPeople.map((channel) => {
            const person = findPerson(channel.withPerson ?? '');
            const icon = person && <Avatar person={person} size="small" />;
            return (
              <SidebarLink key={channel.id} {...link(channel)} icon={icon}>
                {person?.name ?? channel.name}
              </SidebarLink>
            );
          })}
        </SidebarGroup>
        <SidebarGroup title="Apps">
          <SidebarLink
            to="home"
            isHere={place.channel === 'home' || place.channel === (withApp?.id ?? '-')}
            unreadCount={withApp ? unread(withApp.id) : 0}
            icon={<Avatar person={bot} size="small" />}
          >
            {team.app.name}
          </SidebarLink>
        </SidebarGroup>
      </div>
      <footer class="sidebar-footer">
        <button
          type="button"
          class="sidebar-link"
          aria-pressed={isInspecting}
          onClick={toggleInspector}
        >
          <span class="sidebar-icon">
            <Icon name="traffic" />
          </span>
          Traffic
        </button>
        <PersonSwitcher />
      </footer>
    </nav>
  );
}
