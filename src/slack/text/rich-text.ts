/** Rich text has no markup, so nothing needs escaping. */
import type { RichTextBlock, RichTextLink, RichTextText } from '@slack/types';
import { shorten } from './escape-text.ts';
import { safeUrl } from './links.ts';

/** One list entry: a word and a link. */
export type ListedLink = { word: string; label: string; url: string | undefined };

/** Longer addresses aren't linked: twenty of them would fill a message. */
const listedUrlLimit = 300;
const labelLimit = 100;

export function linkList(entries: readonly ListedLink[]): RichTextBlock {
  const lines = entries.map((entry) => [
    words(`${shorten(entry.word, labelLimit)}: `),
    renderLabel(entry),
  ]);
  return {
    type: 'rich_text',
    elements: [
      {
        type: 'rich_text_list',
        style: 'bullet',
        elements: lines.map((elements) => ({ type: 'rich_text_section' as const, elements })),
      },
    ],
  };
}

function renderLabel({ label, url }: ListedLink): RichTextLink | RichTextText {
  const text = shorten(label.trim(), labelLimit) || 'unnamed';
  const target = safeUrl(url);
  return target && target.length <= listedUrlLimit
    ? { type: 'link', url: target, text }
    : words(text);
}

const words = (text: string): RichTextText => ({ type: 'text', text });
