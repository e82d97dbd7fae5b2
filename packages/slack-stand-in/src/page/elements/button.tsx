import { useState } from 'preact/hooks';
import type { ButtonElement } from '../blocks/block-types.ts';
import { Text } from '../blocks/text.tsx';
import { useElement } from '../state/use-element.ts';
import { safeHref } from '../text/safe-url.ts';

export function Button({ element }: { element: ButtonElement }) {
  const { act } = useElement(element);
  const [isBusy, setBusy] = useState(false);
  const style = element.style ? ` button-${element.style}` : '';
  const href = element.url ? safeHref(element.url) : undefined;
  const press = async () => {
    if (isBusy) return;
    setBusy(true);
    await act();
    setBusy(false);
  };
  const shared = { class: `button${style}`, 'aria-label': element.accessibility_label };
  // As in Slack, a link button opens its link and sends an action.
  if (href) {
    return (
      <a {...shared} href={href} target="_blank" rel="noopener noreferrer" onClick={press}>
        <Text text={element.text} />
        <span aria-hidden="true">↗</span>
      </a>
    );
  }
  return (
    <button type="button" {...shared} aria-busy={isBusy} onClick={press}>
      <Text text={element.text} />
    </button>
  );
}
