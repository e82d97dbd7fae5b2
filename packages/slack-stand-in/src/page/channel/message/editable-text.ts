import type { Page } from '../../state/page-context.ts';

/** A message's text for editing: names instead of ids, plain characters instead of escapes. */
export function editableText(text: string, { findPerson, findChannel }: Names): string {
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
