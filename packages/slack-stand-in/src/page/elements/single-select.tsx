import { useId, useRef, useState } from 'preact/hooks';
import type { SelectElement } from '../blocks/block-types.ts';
import { Icon } from '../icon.tsx';
import { usePage } from '../state/page-context.ts';
import { useElement } from '../state/use-element.ts';
import { PlainText } from '../text/mrkdwn.tsx';
import { OptionList } from './option-list.tsx';
import { type Choice, readChosen, writeChosen } from './select-values.ts';
import { labelOfId } from './use-choices.ts';
import { usePopup } from './use-popup.ts';

export function SingleSelect({ element }: { element: SelectElement }) {
  const page = usePage();
  const { value, change, search, aria, role } = useElement(element);
  const [isOpen, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const popup = useRef<HTMLDivElement>(null);
  const id = useId();
  const place = usePopup(button, popup, { isOpen, close: () => setOpen(false), minWidth: 220 });
  const chosen = readChosen(element, value);
  const [current] = chosen;
  const labelOf = (choice: Choice) =>
    choice.option ? choice.label : labelOfId(page, choice.value);

  const close = () => {
    setOpen(false);
    button.current?.focus();
  };
  const choose = (choices: Choice[]) => {
    close();
    void change(writeChosen(element, choices));
  };
  return (
    <span class={`select${role === 'action' ? ' select-inline' : ''}`}>
      <button
        ref={button}
        type="button"
        class="field select-button"
        aria-haspopup="listbox"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
        {...aria}
      >
        {current ? (
          <PlainText text={labelOf(current)} />
        ) : (
          <span class="muted">{element.placeholder?.text ?? 'Choose one'}</span>
        )}
      </button>
      {current && role !== 'action' && (
        <button type="button" class="select-clear" aria-label="Clear" onClick={() => choose([])}>
          <Icon name="close" />
        </button>
      )}
      {isOpen && (
        <div ref={popup} class="popup" style={place ?? { opacity: 0 }}>
          <OptionList
            {...{ id, element, chosen, search, close }}
            choose={(choice) => choose([choice])}
          />
        </div>
      )}
    </span>
  );
}
