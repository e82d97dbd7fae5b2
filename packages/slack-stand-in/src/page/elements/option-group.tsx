import { PlainText } from '../text/mrkdwn.tsx';
import type { Choice, ChoiceGroup } from './select-values.ts';

type OptionGroupProps = {
  id: string;
  group: ChoiceGroup;
  /** Indexes in the whole list: of the group's first option, and of the active one. */
  first: number;
  active: number;
  chosen: Choice[];
  choose: (choice: Choice) => void;
};

export function OptionGroupView({ id, group, first, active, chosen, choose }: OptionGroupProps) {
  const isChosen = (choice: Choice) => chosen.some((each) => each.value === choice.value);
  return (
    <fieldset aria-label={group.label}>
      {group.label && <div class="popup-group">{group.label}</div>}
      {group.choices.map((choice, index) => (
        <div
          key={choice.value}
          id={`${id}-${first + index}`}
          role="option"
          tabIndex={-1}
          aria-selected={isChosen(choice)}
          class={`popup-item${first + index === active ? ' is-active' : ''}`}
          // Keeps the focus in the search field.
          onPointerDown={(event) => event.preventDefault()}
          onClick={() => choose(choice)}
          onKeyDown={(event) => event.key === 'Enter' && choose(choice)}
        >
          <span>
            <PlainText text={choice.label} />
            {isChosen(choice) && <span class="popup-check"> ✓</span>}
          </span>
          {choice.description && (
            <small>
              <PlainText text={choice.description} />
            </small>
          )}
        </div>
      ))}
    </fieldset>
  );
}
