import type { ImageBlock as Block } from './block-types.ts';
import { Picture } from './picture.tsx';
import { Text } from './text.tsx';

export function ImageBlock({ image }: { image: Block }) {
  return (
    <figure class="image-block">
      {image.title && (
        <figcaption>
          <Text text={image.title} />
        </figcaption>
      )}
      <Picture image={image} size="large" />
    </figure>
  );
}
