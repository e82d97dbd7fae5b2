import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { OptionGroup } from '../../page-server/page-protocol.ts';
import type { SelectElement } from '../blocks/block-types.ts';
import { PlainText } from '../text/mrkdwn.tsx';
import { type Choice, type ChoiceGroup, useChoices } from './use-choices.ts';

type OptionListProps = {
  id: string;
  element: SelectElement;
  chosen: Choice[];
  search: (query: string) => Promise<OptionGroup[]>;
  choose: (choice: Choice) => void;
  close: () => void;
};

/**
 * Shows the open list of a select, with a search field and options. Arrow keys move between options, and Enter selects
 * one.
 */
export function OptionList({ id, element, chosen, search, choose, close }: OptionListProps) {
  const [query, setQuery] = useState('');
  const [at, setAt] = useState(0);
  const field = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const { groups, hint } = useChoices(element, query, true, search);
  const flat = groups.flatMap((group) => group.choices);

  useLayoutEffect(() => field.current?.focus(), []);
  useEffect(() => {
    list.current?.querySelector('.is-active')?.scrollIntoView({ block: 'nearest' });
  }, [at]);

  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && flat.length > 0) {
      event.preventDefault();
      setAt((at + step + flat.length) % flat.length);
    } else if (event.key === 'Enter') {
      event.preventDefault();
      const choice = flat[at];
      if (choice) choose(choice);
    } else if (event.key === 'Escape' || event.key === 'Tab') {
      // Stop the event, so that Escape closes the list but not the modal around it.
      event.stopPropagation();
      if (event.key === 'Escape') event.preventDefault();
      close();
    }
  };
  const activeId = flat[at] ? `${id}-${at}` : undefined;
  let index = 0;
  return (
    <>
      <input
        ref={field}
        class="field popup-search"
        type="text"
        role="combobox"
        aria-label="Search options"
        aria-controls={id}
        aria-expanded="true"
        aria-autocomplete="list"
        aria-activedescendant={activeId}
        placeholder="Search"
        value={query}
        onInput={(event) => {
          setQuery(event.currentTarget.value);
          setAt(0);
        }}
        onKeyDown={onKeyDown}
      />
      <div ref={list} class="popup-options" role="listbox" id={id} aria-label="Options">
        {groups.map((group, groupIndex) => {
          const first = index;
          index += group.choices.length;
          const shared = { id, group, first, active: at, chosen, choose };
          return <OptionGroupView key={groupIndex} {...shared} />;
        })}
        {hint && <div class="popup-hint">{hint}</div>}
        {!hint && flat.length === 0 && (
          <div class="popup-hint">{query ? `No matches for “${query}”` : 'No options'}</div>
        )}
      </div>
    </>
  );
}

type OptionGroupProps = {
  id: string;
  group: ChoiceGroup;
  /** Position of the group's first option in the whole list, starting at 0. */
  first: number;
  active: number;
  chosen: Choice[];
  choose: (choice: Choice) => void;
};

function OptionGroupView({ id, group, first, active, chosen, choose }: OptionGroupProps) {
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
          // Prevent the click from moving the focus out of the search field.
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
