import type { ComponentChildren } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { PersonEntry, PersonRole } from '../../page-server/page-entry.ts';
import { Menu } from '../elements/menu.tsx';
import { Icon } from '../icon.tsx';
import { usePage } from '../state/page-context.ts';
import { writePlace } from '../state/place.ts';
import { countUnread, type LastRead, readUpTo } from '../state/unread.ts';
import { Avatar } from './avatar.tsx';

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

type SidebarGroupProps = {
  title: string;
  action?: ComponentChildren;
  children: ComponentChildren;
};

function SidebarGroup({ title, action, children }: SidebarGroupProps) {
  return (
    <section class="sidebar-group">
      <header>
        <h2>{title}</h2>
        {action}
      </header>
      {children}
    </section>
  );
}

type SidebarLinkProps = {
  to: string;
  isHere: boolean;
  unreadCount: number;
  icon: ComponentChildren;
  isDim?: boolean;
  children: ComponentChildren;
};

function SidebarLink({ to, isHere, unreadCount, icon, isDim, children }: SidebarLinkProps) {
  const { me } = usePage();
  const classes = ['sidebar-link'];
  if (unreadCount > 0) classes.push('is-unread');
  if (isDim) classes.push('is-dim');
  return (
    <a
      class={classes.join(' ')}
      href={writePlace({ person: me.id, channel: to })}
      aria-current={isHere ? 'page' : undefined}
    >
      <span class="sidebar-icon" aria-hidden="true">
        {icon}
      </span>
      <span class="sidebar-name">{children}</span>
      {unreadCount > 0 && (
        <span class="badge" title={`${unreadCount} unread`}>
          {unreadCount > 99 ? '99+' : unreadCount}
        </span>
      )}
    </a>
  );
}

const roles: Record<PersonRole, string> = {
  owner: 'Owner',
  admin: 'Admin',
  member: 'Member',
  guest: 'Guest',
  stranger: 'From another company',
  bot: 'App',
};

/** Shows a menu of people and other apps' bots. After a choice, the page shows the workspace as the chosen one. */
function PersonSwitcher() {
  const { me, team, people, place, navigate } = usePage();
  const items = people
    .filter(({ id }) => id !== team.app.botUserId)
    .toSorted((one, two) => Number(one.role === 'bot') - Number(two.role === 'bot'))
    .map((person) => ({
      key: person.id,
      label: (
        <span class="person-item">
          <Avatar person={person} size="small" />
          {person.name}
          {person.id === me.id && ' ✓'}
        </span>
      ),
      description: describe(person),
      choose: () => navigate({ person: person.id, channel: place.channel }),
    }));
  const trigger = (
    <>
      <Avatar person={me} />
      <span class="switcher-name">
        {me.name}
        <small>{roles[me.role]} · switch person</small>
      </span>
      <Icon name="swap" />
    </>
  );
  return <Menu label="Switch person" trigger={trigger} items={items} class="switcher" />;
}

function describe({ role, title, timeZone, otherTeam }: PersonEntry): string {
  return [title, roles[role], otherTeam, timeZone.replaceAll('_', ' ')].filter(Boolean).join(' · ');
}

/** Shows a menu of people. Choosing a person opens a direct conversation with that person. */
function NewDirectMessage() {
  const { me, people, perform, navigate } = usePage();
  const open = async (person: string) => {
    const answer = await perform({ type: 'openDirect', person });
    if (answer.ok && answer.channel) navigate({ channel: answer.channel });
  };
  const items = people
    .filter(({ id, isHere, role }) => isHere && id !== me.id && role !== 'bot')
    .map((person) => ({
      key: person.id,
      label: (
        <span class="person-item">
          <Avatar person={person} size="small" />
          {person.name}
        </span>
      ),
      choose: () => open(person.id),
    }));
  const trigger = <Icon name="plus" />;
  return <Menu label="New direct message" trigger={trigger} items={items} class="icon-button" />;
}

/**
 * Returns a function that returns the number of unread messages in a channel. The browser stores for each channel the
 * last message that was read.
 */
function useUnread(): (channel: string) => number {
  const { me, messages, channels, place } = usePage();
  const key = `lastRead/${me.id}`;
  const [lastRead, setLastRead] = useState<LastRead>(() => load(key));
  const here = place.channel;

  useEffect(() => setLastRead(load(key)), [key]);
  useEffect(() => {
    const isSeen = document.visibilityState === 'visible';
    const next = readUpTo(lastRead, { messages, channels, here: isSeen ? here : undefined });
    if (next === lastRead) return;
    localStorage.setItem(key, JSON.stringify(next));
    setLastRead(next);
  }, [messages, channels, here, lastRead]);

  const counts = useMemo(() => countUnread(lastRead, messages, me.id), [lastRead, messages, me.id]);
  return (channel) => counts.get(channel) ?? 0;
}

function load(key: string): LastRead {
  return JSON.parse(localStorage.getItem(key) ?? '{}') as LastRead;
}
