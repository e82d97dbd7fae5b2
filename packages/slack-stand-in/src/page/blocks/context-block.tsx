import type { ImageElement, TextObject } from './block-types.ts';
import { Picture } from './picture.tsx';
import { Text } from './text.tsx';

export function ContextBlock({ elements }: { elements: (TextObject | ImageElement)[] }) {
  return (
    <div class="context-block">
      {elements.map((element, index) =>
        element.type === 'image' ? (
          <Picture key={index} image={element} size="small" />
        ) : (
          <span key={index}>
            <Text text={element} />
          </span>
        ),
      )}
    </div>
  );
}
