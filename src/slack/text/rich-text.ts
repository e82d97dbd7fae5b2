/** Rich text shows exactly the characters that it is given: nothing is read as markup, so nothing needs escaping. */
import type { RichTextBlock, RichTextLink, RichTextText } from '@slack/types';
import { limits, safeUrl, shorten } from './blocks.ts';

/** One entry of a list: a word, and what it leads to. */
export type ListedLink = { word: string; label: string; url: string | undefined };

/** Longer addresses are named, not linked: twenty of them would fill a message. */
const listedUrlLimit = 300;
const labelLimit = 100;

/** Says whether `url` may be linked in a list. */
function listedUrl(url: string | undefined): string | undefined {
  const safe = safeUrl(url);
  return safe && safe.length <= listedUrlLimit ? safe : undefined;
}

export function linkList(entries: readonly ListedLink[], lastLine?: string): RichTextBlock {
  const lines = entries.map((entry) => [
    words(`${shorten(entry.word, labelLimit)}: `),
    renderLabel(entry),
  ]);
  if (lastLine) lines.push([words(shorten(lastLine, limits.text))]);
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
  const text = shorten(label.trim(), labelLimit) || 'without a name';
  const target = listedUrl(url);
  return target ? { type: 'link', url: target, text } : words(text);
}

const words = (text: string): RichTextText => ({ type: 'text', text });
