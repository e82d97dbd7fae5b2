import type { JsonObject } from '../lib/json.ts';
import { type Paragraph, parseMrkdwn, type Span } from '../mrkdwn-parse.ts';

/** The `rich_text` block of a typed message: marks become styles, fences become code blocks. */
export function richTextOf(text: string, blockId: string): JsonObject {
  return { type: 'rich_text', block_id: blockId, elements: parseMrkdwn(text).map(partOf) };
}

function partOf(paragraph: Paragraph): JsonObject {
  if (paragraph.type === 'code') {
    const elements = [{ type: 'text', text: paragraph.text }];
    return { type: 'rich_text_preformatted', elements, border: 0 };
  }
  const type = paragraph.type === 'quote' ? 'rich_text_quote' : 'rich_text_section';
  return { type, elements: paragraph.spans.flatMap((span) => elementsOf(span, {})) };
}

type Style = { bold?: true; italic?: true; strike?: true; code?: true };

function elementsOf(span: Span, style: Style): JsonObject[] {
  const styled = Object.keys(style).length > 0 && { style };
  switch (span.type) {
    case 'text':
      return [{ type: 'text', text: span.text, ...styled }];
    case 'code':
      return [{ type: 'text', text: span.text, style: { ...style, code: true } }];
    case 'bold':
    case 'italic':
    case 'strike':
      return span.children.flatMap((child) => elementsOf(child, { ...style, [span.type]: true }));
    case 'emoji':
      return [{ type: 'emoji', name: span.name, ...styled }];
    case 'link':
      return [{ type: 'link', url: span.url, ...(span.label && { text: span.label }), ...styled }];
    case 'person':
      return [{ type: 'user', user_id: span.id, ...styled }];
    case 'channel':
      return [{ type: 'channel', channel_id: span.id, ...styled }];
    case 'group':
      return [{ type: 'usergroup', usergroup_id: span.id, ...styled }];
    case 'broadcast':
      return [{ type: 'broadcast', range: span.range, ...styled }];
    case 'date':
      return [{ type: 'text', text: span.fallback, ...styled }];
  }
}
