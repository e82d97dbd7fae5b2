import { useState } from 'preact/hooks';
import type { FeedbackElement } from '../blocks/block-types.ts';
import { Icon } from '../icon.tsx';
import { useElement } from '../state/use-element.ts';

/** Two thumbs. As in Slack, the last one that a person clicked is filled, and clicking it again sends another action. */
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
