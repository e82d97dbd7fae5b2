import { useId, useRef, useState } from 'preact/hooks';
import type { SelectElement } from '../blocks/block-types.ts';
import { Icon } from '../icon.tsx';
import { usePage } from '../state/page-context.ts';
import { useElement } from '../state/use-element.ts';
import { PlainText } from '../text/mrkdwn.tsx';
import { OptionList } from './option-list.tsx';
import { type Choice, labelOfId, readChosen, writeChosen } from './use-choices.ts';
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

export function MultiSelect({ element }: { element: SelectElement }) {
  const page = usePage();
  const { value, change, search, aria } = useElement(element);
  const [isOpen, setOpen] = useState(false);
  const anchor = useRef<HTMLDivElement>(null);
  const opener = useRef<HTMLButtonElement>(null);
  const popup = useRef<HTMLDivElement>(null);
  const id = useId();
  const place = usePopup(anchor, popup, { isOpen, close: () => setOpen(false), minWidth: 220 });
  const chosen = readChosen(element, value);
  const limit = element.max_selected_items ?? Number.POSITIVE_INFINITY;

  const close = () => {
    setOpen(false);
    opener.current?.focus();
  };
  const without = (choice: Choice) => chosen.filter((each) => each.value !== choice.value);
  const toggle = (choice: Choice) => {
    const rest = without(choice);
    const isNew = rest.length === chosen.length;
    if (isNew && chosen.length >= limit) return;
    void change(writeChosen(element, isNew ? [...chosen, choice] : rest));
  };
  return (
    <div class="select" ref={anchor}>
      <fieldset class="field chips" {...aria}>
        {chosen.map((choice) => {
          const label = choice.option ? choice.label : labelOfId(page, choice.value);
          return (
            <span key={choice.value} class="chip">
              <PlainText text={label} />
              <button
                type="button"
                aria-label={`Remove ${label}`}
                onClick={() => void change(writeChosen(element, without(choice)))}
              >
                <Icon name="close" />
              </button>
            </span>
          );
        })}
        <button
          ref={opener}
          type="button"
          class="chips-open"
          aria-haspopup="listbox"
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        >
          {chosen.length > 0 ? 'Add…' : (element.placeholder?.text ?? 'Choose')}
        </button>
      </fieldset>
      {isOpen && (
        <div ref={popup} class="popup" style={place ?? { opacity: 0 }}>
          <OptionList {...{ id, element, chosen, search, close }} choose={toggle} />
        </div>
      )}
    </div>
  );
}
