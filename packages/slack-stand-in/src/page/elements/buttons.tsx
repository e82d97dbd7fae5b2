import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { ButtonElement, FeedbackElement, OverflowElement } from '../blocks/block-types.ts';
import { Text } from '../blocks/objects.tsx';
import { Icon } from '../icon.tsx';
import { useElement } from '../state/use-element.ts';
import { safeHref } from '../text/safe-url.ts';
import { Menu } from './menu.tsx';

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

/** Shows a button of the app, in blocks or in an entity. */
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
  // Send an action even for a link. In Slack, a link button opens its link and also sends an action.
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

/**
 * Shows thumbs up and thumbs down. As in Slack, the button that the person clicked last is filled. Another click on the
 * filled button sends another action.
 */
export function FeedbackButtons({ element }: { element: FeedbackElement }) {
  const { act } = useElement(element);
  const [chosen, setChosen] = useState<string>();
  const thumbs = [
    { icon: 'thumb-up', button: element.positive_button },
    { icon: 'thumb-down', button: element.negative_button },
  ] as const;
  return (
    <span class="feedback-buttons">
      {thumbs.map(({ icon, button: { text, value, accessibility_label: label } }) => (
        <button
          key={icon}
          type="button"
          class="feedback-button"
          aria-label={label ?? text.text}
          aria-pressed={chosen === value}
          title={text.text}
          onClick={() => {
            setChosen(value);
            return act({ type: element.type, value });
          }}
        >
          <Icon name={icon} />
        </button>
      ))}
    </span>
  );
}

export function Overflow({ element }: { element: OverflowElement }) {
  const { act } = useElement(element);
  const items = element.options.map((option, index) => ({
    key: `${index}`,
    label: <Text text={option.text as { type: 'plain_text'; text: string }} />,
    ...(option.description && { description: option.description.text }),
    choose: async () => {
      const href = option.url ? safeHref(option.url) : undefined;
      if (href) window.open(href, '_blank', 'noopener');
      await act({ type: 'overflow', selected_option: option });
    },
  }));
  return (
    <Menu
      label="More options"
      trigger={<Icon name="more" />}
      items={items}
      class="button button-icon"
    />
  );
}
