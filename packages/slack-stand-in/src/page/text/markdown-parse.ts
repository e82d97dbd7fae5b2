import type { Span } from '../../mrkdwn-parse.ts';

/** The subset of Markdown that messages use in `markdown` blocks. */
export type MarkdownPart =
  | { type: 'heading' | 'paragraph' | 'quote'; spans: Span[] }
  | { type: 'code'; text: string }
  | { type: 'list'; ordered: boolean; items: Span[][] }
  | { type: 'rule' };

const fence = /^```[^\n]*\n([\s\S]*?)(?:\n```[^\S\n]*(?:\n|$)|$)/;

export function parseMarkdown(text: string): MarkdownPart[] {
  const parts: MarkdownPart[] = [];
  let rest = text;
  while (rest !== '') {
    const code = fence.exec(rest);
    if (code) {
      parts.push({ type: 'code', text: code[1] ?? '' });
      rest = rest.slice(code[0].length);
      continue;
    }
    const end = rest.indexOf('\n');
    const line = end < 0 ? rest : rest.slice(0, end);
    rest = end < 0 ? '' : rest.slice(end + 1);
    addLine(parts, line);
  }
  return parts;
}

function addLine(parts: MarkdownPart[], line: string): void {
  if (line.trim() === '') return;
  if (/^\s*([-*_])(?:\s*\1){2,}\s*$/.test(line)) {
    parts.push({ type: 'rule' });
    return;
  }
  const heading = /^#{1,6} +(.*)$/.exec(line);
  if (heading) {
    parts.push({ type: 'heading', spans: parseInline(heading[1] ?? '') });
    return;
  }
  const item = /^\s*(?:[-*+]|(\d+)[.)]) +(.*)$/.exec(line);
  if (item) {
    const ordered = item[1] !== undefined;
    const last = parts.at(-1);
    const spans = parseInline(item[2] ?? '');
    if (last?.type === 'list' && last.ordered === ordered) last.items.push(spans);
    else parts.push({ type: 'list', ordered, items: [spans] });
    return;
  }
  const quote = /^> ?(.*)$/.exec(line);
  parts.push({ type: quote ? 'quote' : 'paragraph', spans: parseInline(quote?.[1] ?? line) });
}

const inline =
  /`([^`]+)`|\[([^\]]+)\]\(([^()\s]+)\)|\*\*([^*]+)\*\*|__([^_]+)__|~~([^~]+)~~|(?<!\w)[*_]([^*_]+)[*_](?!\w)|(https?:\/\/[^\s<>)]+)/g;

function parseInline(text: string): Span[] {
  const spans: Span[] = [];
  let at = 0;
  for (const match of text.matchAll(inline)) {
    if (match.index > at) spans.push({ type: 'text', text: text.slice(at, match.index) });
    at = match.index + match[0].length;
    const [whole, code, label, url, bold, bold2, strike, italic] = match;
    if (code !== undefined) spans.push({ type: 'code', text: code });
    else if (label !== undefined) spans.push({ type: 'link', url: url ?? '', label });
    else if (bold !== undefined || bold2 !== undefined) {
      spans.push({ type: 'bold', children: parseInline(bold ?? bold2 ?? '') });
    } else if (strike !== undefined) {
      spans.push({ type: 'strike', children: parseInline(strike) });
    } else if (italic !== undefined) {
      spans.push({ type: 'italic', children: parseInline(italic) });
    } else spans.push({ type: 'link', url: whole, label: whole });
  }
  if (at < text.length) spans.push({ type: 'text', text: text.slice(at) });
  return spans;
}
