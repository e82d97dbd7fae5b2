import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { ButtonElement } from '../blocks/block-types.ts';
import { Text } from '../blocks/text.tsx';
import { useElement } from '../state/use-element.ts';
import { safeHref } from '../text/safe-url.ts';

export function Button({ element }: { element: ButtonElement }) {
  const { act } = useElement(element);
  return (
    <PressButton button={element} act={act}>
      <Text text={element.text} />
    </PressButton>
  );
}

type PressButtonProps = {
  button: {
    url?: string | undefined;
    style?: string | undefined;
    accessibility_label?: string | undefined;
  };
  act: () => Promise<unknown>;
  children: ComponentChildren;
};

/** A button of the app, in blocks or in an entity. */
export function PressButton({ button, act, children }: PressButtonProps) {
  const [isBusy, setBusy] = useState(false);
  const style = button.style ? ` button-${button.style}` : '';
  const href = button.url ? safeHref(button.url) : undefined;
  const press = async () => {
    if (isBusy) return;
    setBusy(true);
    await act();
    setBusy(false);
  };
  const shared = { class: `button${style}`, 'aria-label': button.accessibility_label };
  // As in Slack, a link button opens its link and sends an action.
  if (href) {
    return (
      <a {...shared} href={href} target="_blank" rel="noopener noreferrer" onClick={press}>
        {children}
        <span aria-hidden="true">↗</span>
      </a>
    );
  }
  return (
    <button type="button" {...shared} aria-busy={isBusy} onClick={press}>
      {children}
    </button>
  );
}
