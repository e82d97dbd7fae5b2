import type { MarkedToken, Token } from 'marked';
import type { JsonObject } from '../../lib/json.ts';

type Style = Readonly<Record<string, true>>;

/** The elements of a rich text section, which has at least one. */
export function textElements(tokens: readonly Token[]): JsonObject[] {
  const elements = tokens.flatMap((token) => elementsOf(token as MarkedToken, {}));
  return elements.length > 0 ? elements : [{ type: 'text', text: ' ' }];
}

export const plainText = (tokens: readonly Token[]): string =>
  textElements(tokens)
    .map((element) => String(element['text'] ?? element['url']))
    .join('');

const styles: Readonly<Record<string, string>> = { strong: 'bold', em: 'italic', del: 'strike' };

function elementsOf(token: MarkedToken, style: Style): JsonObject[] {
  switch (token.type) {
    case 'strong':
    case 'em':
    case 'del': {
      const inner = { ...style, [styles[token.type] ?? '']: true as const };
      return token.tokens.flatMap((each) => elementsOf(each as MarkedToken, inner));
    }
    case 'codespan':
      return styled(token.text, { ...style, code: true });
    case 'link':
    case 'image':
      if (!URL.canParse(token.href)) return styled(token.raw, style);
      return [
        { type: 'link', url: token.href, ...(token.text && { text: token.text }), ...look(style) },
      ];
    case 'br':
      return styled('\n', style);
    case 'checkbox':
      return styled(token.checked ? '☑ ' : '☐ ', style);
    case 'text':
      return token.tokens
        ? token.tokens.flatMap((each) => elementsOf(each as MarkedToken, style))
        : styled(token.text, style);
    case 'escape':
      return styled(token.text, style);
    default:
      return styled(token.raw, style);
  }
}

const styled = (text: string, style: Style): JsonObject[] =>
  text === '' ? [] : [{ type: 'text', text, ...look(style) }];

const look = (style: Style) => (Object.keys(style).length > 0 ? { style } : {});
