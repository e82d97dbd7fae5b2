import type { PersonEntry, PersonRole } from '../../page-server/page-entry.ts';
import { Menu } from '../elements/menu.tsx';
import { Icon } from '../icon.tsx';
import { usePage } from '../state/page-context.ts';
import { Avatar } from './avatar.tsx';

const roles: Record<PersonRole, string> = {
  owner: 'Owner',
  admin: 'Admin',
  member: 'Member',
  guest: 'Guest',
  stranger: 'From another company',
  bot: 'App',
};

/** Chooses the person who uses the page. */
export function PersonSwitcher() {
  const { me, people, place, navigate } = usePage();
  const items = people
    .filter((person) => person.role !== 'bot')
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
