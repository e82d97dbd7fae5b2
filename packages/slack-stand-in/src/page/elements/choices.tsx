import { useId } from 'preact/hooks';
import type { ChoiceElement, OptionObject } from '../blocks/block-types.ts';
import { Text } from '../blocks/text.tsx';
import { useElement } from '../state/use-element.ts';

/** Checkboxes and radio buttons. */
export function Choices({ element }: { element: ChoiceElement }) {
  const { value, change, aria } = useElement(element);
  const name = useId();
  const isMany = element.type === 'checkboxes';
  const initial = isMany ? element.initial_options : element.initial_option;
  const current = value ? (isMany ? value.selected_options : value.selected_option) : initial;
  const chosen = new Set([current ?? []].flat().map((option) => option.value));
  const toggle = (option: OptionObject, isOn: boolean) => {
    if (!isMany) return change({ type: element.type, selected_option: option });
    const selected_options = element.options.filter((each) =>
      each.value === option.value ? isOn : chosen.has(each.value),
    );
    return change({ type: element.type, selected_options });
  };
  return (
    <div class="choices" role={isMany ? 'group' : 'radiogroup'} {...aria}>
      {element.options.map((option) => (
        <label key={option.value} class="choice">
          <input
            type={isMany ? 'checkbox' : 'radio'}
            name={name}
            checked={chosen.has(option.value)}
            onChange={(event) => void toggle(option, event.currentTarget.checked)}
          />
          <span>
            <Text text={option.text as { type: 'mrkdwn'; text: string }} />
            {option.description && (
              <small>
                <Text text={option.description} />
              </small>
            )}
          </span>
        </label>
      ))}
    </div>
  );
}
