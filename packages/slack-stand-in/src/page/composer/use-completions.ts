import type { RefObject } from 'preact';
import { useId, useState } from 'preact/hooks';
import { usePage } from '../state/page-context.ts';
import { type Completion, completionsAt } from './completion.ts';

/** The completion list of one composer: its items, the active one, and its keys. */
export function useCompletions(
  text: string,
  field: RefObject<HTMLTextAreaElement | null>,
  setText: (text: string) => void,
) {
  const { team, people, channels } = usePage();
  const id = useId();
  const [caret, setCaret] = useState(0);
  const [moved, setMoved] = useState({ text: '', at: 0 });
  const [dismissed, setDismissed] = useState('');
  const here = people.filter((person) => person.isHere);
  const known = { commands: team.app.commands, people: here, channels };
  const found = text === dismissed ? undefined : completionsAt(text, caret, known);
  const items = found?.items ?? [];
  // A new text starts at the top of its list.
  const at = moved.text === text ? moved.at : 0;

  const refresh = () => setCaret(field.current?.selectionEnd ?? 0);
  const choose = ({ insert }: Completion) => {
    const next = text.slice(0, found?.from ?? caret) + insert + text.slice(caret);
    setText(next);
    setDismissed(next);
    field.current?.focus();
  };
  const close = () => setDismissed(text);
  /** True if the list handled the key. */
  const onKeyDown = (event: KeyboardEvent): boolean => {
    const active = items[at];
    if (!active) return false;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const isWhole = text.slice(0, caret) === active.insert;
    if (step) setMoved({ text, at: (at + step + items.length) % items.length });
    else if (event.key === 'Escape') close();
    else if ((event.key === 'Tab' || event.key === 'Enter') && !isWhole && !event.shiftKey) {
      // Enter sends a complete command.
      if (event.key === 'Enter' && active.insert.trim() === text.trim()) return false;
      choose(active);
    } else return false;
    event.preventDefault();
    return true;
  };
  return {
    id,
    items,
    at,
    isOpen: items.length > 0,
    activeId: items.length > 0 ? `${id}-${at}` : undefined,
    refresh,
    choose,
    close,
    onKeyDown,
  };
}
