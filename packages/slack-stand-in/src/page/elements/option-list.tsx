import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { OptionGroup } from '../../page-server/page-protocol.ts';
import type { SelectElement } from '../blocks/block-types.ts';
import { OptionGroupView } from './option-group.tsx';
import type { Choice } from './select-values.ts';
import { useChoices } from './use-choices.ts';

type OptionListProps = {
  id: string;
  element: SelectElement;
  chosen: Choice[];
  search: (query: string) => Promise<OptionGroup[]>;
  choose: (choice: Choice) => void;
  close: () => void;
};

/** The open list of a select: a search field and options. Arrows and Enter choose. */
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
      // Escape closes the list, but not the modal around it.
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
