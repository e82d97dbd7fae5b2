import type { RefObject } from 'preact';
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { ChannelEntry } from '../../page-server/page-entry.ts';
import { Menu } from '../elements/menu.tsx';
import { Icon } from '../icon.tsx';
import { usePage } from '../state/page-context.ts';
import { type Completion, completionsAt } from './completion.ts';

type ComposerProps = {
  channel: ChannelEntry;
  threadTs?: string;
  /** Channel that the person sees while writing to the app. */
  inView?: string | undefined;
  /**
   * Example that the person selected, as text for the composer. Each selection is a new object, even for the same text.
   */
  suggestion?: { text: string } | undefined;
};

/**
 * Shows the text field for messages. Enter sends the text, and Shift+Enter starts a new line. A text that starts with a
 * slash is a command.
 */
export function Composer({ channel, threadTs, inView, suggestion }: ComposerProps) {
  const { perform } = usePage();
  const [text, setText] = useState('');
  const field = useRef<HTMLTextAreaElement>(null);
  const completions = useCompletions(text, field, setText);

  useLayoutEffect(() => {
    // Focus the field, but not on touch screens, because the focus would open their keyboard.
    if (window.matchMedia('(pointer: fine)').matches) field.current?.focus();
  }, []);
  useLayoutEffect(() => {
    if (!field.current) return;
    // Adjust the height to the text, up to the limit in the style sheet.
    field.current.style.height = 'auto';
    field.current.style.height = `${field.current.scrollHeight}px`;
  }, [text]);

  useLayoutEffect(() => {
    if (!suggestion) return;
    setText(suggestion.text);
    field.current?.focus();
  }, [suggestion]);

  const send = async () => {
    const typed = text.trim();
    if (typed === '') return;
    setText('');
    const answer = await perform({
      type: 'send',
      channel: channel.id,
      text: typed,
      ...(threadTs && { threadTs }),
      ...(inView && { inView }),
    });
    // Restore a rejected text, unless the person has already typed another text.
    if (!answer.ok) setText((now) => now || typed);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.isComposing || completions.onKeyDown(event)) return;
    if (event.key !== 'Enter' || event.shiftKey) return;
    event.preventDefault();
    void send();
  };
  const to = channel.type === 'direct' ? '' : ` #${channel.name}`;
  const label = threadTs ? 'Reply…' : `Message${to}`;
  return (
    <form
      class="composer"
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      <CompletionList completions={completions} />
      <div class="composer-box">
        <ShortcutMenu channelId={channel.id} />
        <textarea
          ref={field}
          rows={1}
          dir="auto"
          value={text}
          placeholder={label}
          aria-label={label}
          aria-autocomplete="list"
          aria-controls={completions.isOpen ? completions.id : undefined}
          aria-activedescendant={completions.activeId}
          onInput={(event) => {
            setText(event.currentTarget.value);
            completions.refresh();
          }}
          onSelect={completions.refresh}
          onKeyDown={onKeyDown}
          onBlur={completions.close}
        />
        <button type="submit" class="send-button" aria-label="Send" disabled={text.trim() === ''}>
          <Icon name="send" />
        </button>
      </div>
    </form>
  );
}

/** Shows a menu of the app's global shortcuts, next to the composer. */
function ShortcutMenu({ channelId }: { channelId: string }) {
  const { team, perform } = usePage();
  const items = team.app.globalShortcuts.map(({ callbackId, name, description }) => ({
    key: callbackId,
    label: name,
    description: `${team.app.name} · ${description}`,
    choose: () => perform({ type: 'globalShortcut', callbackId, channel: channelId }),
  }));
  const empty = 'The app has no global shortcuts.';
  return (
    <Menu
      label="Shortcuts"
      trigger={<Icon name="plus" />}
      items={items}
      class="icon-button"
      empty={empty}
    />
  );
}

type CompletionListProps = { completions: ReturnType<typeof useCompletions> };

function CompletionList({ completions }: CompletionListProps) {
  const { id, items, at, isOpen, choose } = completions;
  if (!isOpen) return null;
  return (
    <div class="completions" role="listbox" id={id} aria-label="Suggestions">
      {items.map((item, index) => (
        <div
          key={item.key}
          id={`${id}-${index}`}
          role="option"
          tabIndex={-1}
          aria-selected={index === at}
          class={`popup-item${index === at ? ' is-active' : ''}`}
          // Prevent the click from moving the focus out of the composer.
          onPointerDown={(event) => event.preventDefault()}
          onClick={() => choose(item)}
          onKeyDown={(event) => event.key === 'Enter' && choose(item)}
        >
          <span>
            <strong>{item.label}</strong> <span class="muted">{item.hint}</span>
          </span>
          {item.detail && <small>{item.detail}</small>}
        </div>
      ))}
    </div>
  );
}

/**
 * Returns the state of one composer's completion list: its items, the active item, and functions for keys and clicks.
 */
function useCompletions(
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
  // Start at the top of the list when the text has changed.
  const at = moved.text === text ? moved.at : 0;

  const refresh = () => setCaret(field.current?.selectionEnd ?? 0);
  const choose = ({ insert }: Completion) => {
    const next = text.slice(0, found?.from ?? caret) + insert + text.slice(caret);
    setText(next);
    setDismissed(next);
    field.current?.focus();
  };
  const close = () => setDismissed(text);
  /** Handles a key in the completion list. Returns true if the composer must ignore the key. */
  const onKeyDown = (event: KeyboardEvent): boolean => {
    const active = items[at];
    if (!active) return false;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const isWhole = text.slice(0, caret) === active.insert;
    if (step) setMoved({ text, at: (at + step + items.length) % items.length });
    else if (event.key === 'Escape') close();
    else if ((event.key === 'Tab' || event.key === 'Enter') && !isWhole && !event.shiftKey) {
      // Let Enter send a command that is already complete.
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
