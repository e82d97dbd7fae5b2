import { Menu } from '../elements/menu.tsx';
import { Icon } from '../icon.tsx';
import { usePage } from '../state/page-context.ts';
import { Avatar } from './avatar.tsx';

/** Opens a direct conversation. */
export function NewDirectMessage() {
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
