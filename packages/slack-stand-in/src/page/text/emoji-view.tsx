import { emojiCharacter } from './emoji.ts';

export function Emoji({ name }: { name: string }) {
  const character = emojiCharacter(name);
  if (!character) return <>{`:${name}:`}</>;
  return (
    <span class="emoji" role="img" aria-label={name.replaceAll('_', ' ')} title={`:${name}:`}>
      {character}
    </span>
  );
}
