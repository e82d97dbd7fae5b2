import type { TextObject } from './block-types.ts';
import { Text } from './text.tsx';

export function HeaderBlock({ text }: { text: TextObject }) {
  return (
    <h3 class="header-block">
      <Text text={text} />
    </h3>
  );
}
