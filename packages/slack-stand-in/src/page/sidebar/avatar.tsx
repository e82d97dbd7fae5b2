import type { PersonEntry } from '../../page-server/page-entry.ts';
import { usePage } from '../state/page-context.ts';

const colors = 8;

type AvatarProps = {
  person: Pick<PersonEntry, 'id' | 'name' | 'role'>;
  size?: 'small' | 'medium';
  emoji?: string | undefined;
};

/** Shows initials on a color derived from the ID, so that no picture is fetched. */
export function Avatar({ person, size = 'medium', emoji }: AvatarProps) {
  const { team } = usePage();
  const sum = [...person.id].reduce((total, letter) => total + (letter.codePointAt(0) ?? 0), 0);
  const isApp = person.id === team.app.botUserId;
  const shape = isApp ? ' avatar-app' : person.role === 'bot' ? ' avatar-bot' : '';
  return (
    <span class={`avatar avatar-${size} avatar-color-${sum % colors}${shape}`} aria-hidden="true">
      {emoji ?? (isApp ? '/' : initials(person.name))}
    </span>
  );
}

function initials(name: string): string {
  const letters = name.split(/[\s-]+/).map((word) => [...word][0] ?? '');
  return letters.slice(0, 2).join('').toUpperCase();
}
