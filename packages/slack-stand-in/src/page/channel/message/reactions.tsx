import type { MessageEntry } from '../../../page-server/page-entry.ts';
import { usePage } from '../../state/page-context.ts';
import { Emoji } from '../../text/emoji-view.tsx';

export function Reactions({ message }: { message: MessageEntry }) {
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
