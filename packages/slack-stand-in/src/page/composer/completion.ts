import type { RefObject } from 'preact';
import { useId, useState } from 'preact/hooks';
import type { ChannelEntry, CommandInfo, PersonEntry } from '../../page-server/page-entry.ts';
import { usePage } from '../state/page-context.ts';

/** One line of the list. `insert` replaces the text from `from` to the caret. */
type Completion = {
  key: string;
  label: string;
  hint: string;
  detail: string;
  insert: string;
};
type Completions = { from: number; items: Completion[] };

type Sources = { commands: CommandInfo[]; people: PersonEntry[]; channels: ChannelEntry[] };

const longest = 8;

/** Completions of the word before the caret: a command at the start, or a person or channel anywhere. */
export function completionsAt(
  text: string,
  caret: number,
  sources: Sources,
): Completions | undefined {
  const before = text.slice(0, caret);
  const items = before.startsWith('/') ? commandsFor(before, sources.commands) : [];
  if (items.length > 0) return { from: 0, items };
  const word = /(?:^|\s)([@#])([^@#\n]{0,40})$/.exec(before);
  if (!word) return undefined;
  const [, sign, query = ''] = word;
  const from = caret - query.length - 1;
  const found =
    sign === '@' ? peopleFor(query, sources.people) : channelsFor(query, sources.channels);
  return found.length > 0 ? { from, items: found.slice(0, longest) } : undefined;
}

function commandsFor(before: string, commands: CommandInfo[]): Completion[] {
  const isWhole = before.includes(' ');
  const name = before.split(' ')[0] ?? '';
  return commands
    .filter(({ command }) => (isWhole ? command === name : command.startsWith(before)))
    .map(({ command, usageHint, description }) => ({
      key: command,
      label: command,
      hint: usageHint,
      detail: description,
      insert: isWhole ? before : `${command} `,
    }));
}

const startsWord = (text: string, query: string) =>
  ` ${text.toLowerCase()}`.includes(` ${query.toLowerCase()}`);

function peopleFor(query: string, people: PersonEntry[]): Completion[] {
  return people
    .filter(({ name, handle }) => startsWord(name, query) || startsWord(handle, query))
    .map(({ id, name, title }) => ({
      key: id,
      label: `@${name}`,
      hint: '',
      detail: title,
      insert: `@${name} `,
    }));
}

function channelsFor(query: string, channels: ChannelEntry[]): Completion[] {
  return channels
    .filter(({ type, name }) => type !== 'direct' && startsWord(name, query))
    .map(({ id, name, topic }) => ({
      key: id,
      label: `#${name}`,
      hint: '',
      detail: topic,
      insert: `#${name} `,
    }));
}

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
  const sources = { commands: team.app.commands, people: here, channels };
  const found = text === dismissed ? undefined : completionsAt(text, caret, sources);
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
