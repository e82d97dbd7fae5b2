import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { MessageEntry } from '../../page-server/page-entry.ts';
import { type Page, usePage } from '../state/page-context.ts';

/** Edits a message in place. Enter saves, Escape cancels. */
export function MessageEditor({ message, done }: { message: MessageEntry; done: () => void }) {
  const page = usePage();
  const [text, setText] = useState(() => editableText(message.text, page));
  const field = useRef<HTMLTextAreaElement>(null);
  useLayoutEffect(() => field.current?.focus(), []);

  const save = async () => {
    const { channel, ts } = message;
    const answer = await page.perform({ type: 'edit', channel, ts, text: text.trim() });
    if (answer.ok) done();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const isEnter = event.key === 'Enter' && !event.shiftKey && !event.isComposing;
    if (event.key !== 'Escape' && !isEnter) return;
    event.preventDefault();
    if (event.key === 'Escape') done();
    else if (text.trim()) void save();
  };
  return (
    <div class="message-editor">
      <textarea
        ref={field}
        class="field"
        aria-label="Edit message"
        dir="auto"
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      <button type="button" class="button" onClick={done}>
        Cancel
      </button>
      <button type="button" class="button button-primary" disabled={!text.trim()} onClick={save}>
        Save
      </button>
    </div>
  );
}

/** Returns a message's text for editing, with names instead of IDs and plain characters instead of escapes. */
function editableText(text: string, { findPerson, findChannel }: Names): string {
  return text
    .replace(/<([@#])(\w+)(?:\|([^<>]*))?>/g, (whole, sign: string, id: string, label?: string) => {
      const name = sign === '@' ? findPerson(id)?.name : findChannel(id)?.name;
      return name || label ? `${sign}${name ?? label}` : whole;
    })
    .replace(/<!(here|channel|everyone)>/g, '@$1')
    .replace(/<((?:https?:|mailto:)[^<>|]+)(?:\|[^<>]*)?>/g, '$1')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}

type Names = Pick<Page, 'findPerson' | 'findChannel'>;
