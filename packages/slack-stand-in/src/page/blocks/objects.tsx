import { useState } from 'preact/hooks';
import { Mrkdwn, PlainText } from '../text/mrkdwn.tsx';
import { safeHref } from '../text/safe-url.ts';
import type { ImageElement, TextObject } from './block-types.ts';

/** Shows a text object, either mrkdwn or plain text. */
export function Text({ text }: { text: TextObject | undefined }) {
  if (!text) return null;
  return text.type === 'mrkdwn' ? <Mrkdwn text={text.text} /> : <PlainText text={text.text} />;
}

type PictureProps = { image: ImageElement; size: 'small' | 'medium' | 'large' };

/**
 * Shows a picture from the page's own host. For other hosts, shows the alt text, because the page sends other hosts no
 * requests.
 */
export function Picture({ image, size }: PictureProps) {
  const [isBroken, setBroken] = useState(false);
  const href = safeHref(image.image_url ?? '');
  if (href && !isBroken && new URL(href).origin === location.origin) {
    const className = `picture picture-${size}`;
    return (
      <img class={className} src={href} alt={image.alt_text} onError={() => setBroken(true)} />
    );
  }
  if (size === 'small') {
    return (
      <span
        class="picture-missing picture-small"
        title={image.alt_text}
        role="img"
        aria-label={image.alt_text}
      >
        {image.alt_text.trim().charAt(0).toUpperCase()}
      </span>
    );
  }
  return (
    <span class="picture-missing" role="img" aria-label={image.alt_text}>
      Picture: {image.alt_text}
      {href && <small>{new URL(href).host}</small>}
    </span>
  );
}
