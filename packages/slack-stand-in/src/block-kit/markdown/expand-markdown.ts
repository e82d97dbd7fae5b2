import { Lexer, type MarkedToken, type Token, type Tokens } from 'marked';
import type { JsonObject } from '../../lib/json.ts';

/**
 * Returns the blocks that Slack stores instead of a `markdown` block. Each heading, rule, table, code block, list,
 * quotation and paragraph becomes a block. Rules: https://docs.slack.dev/reference/block-kit/blocks/markdown-block
 */
export function expandMarkdown(text: string): JsonObject[] {
  const blocks = readBlocks(text);
  return blocks.length > 0 ? blocks : [paragraph(' ')];
}

/** Replaces every `markdown` block with the blocks that Slack makes of it. Other blocks stay unchanged. */
export const expandBlocks = (blocks: readonly JsonObject[]): JsonObject[] =>
  blocks.flatMap((block) =>
    block['type'] === 'markdown' ? expandMarkdown(String(block['text'])) : [block],
  );

function readBlocks(text: string): JsonObject[] {
  try {
    return asMarked(Lexer.lex(text)).flatMap(blocksOf);
  } catch (error) {
    // Show the text unformatted, because the parser can't handle thousands of nested lists or quotations.
    if (error instanceof RangeError) return [paragraph(text)];
    throw error;
  }
}

/** Casts tokens to the parser's own types. The parser has no extensions, so it makes no other tokens. */
const asMarked = (tokens: readonly Token[]) => tokens as MarkedToken[];

function blocksOf(token: MarkedToken): JsonObject[] {
  switch (token.type) {
    case 'space':
    case 'def':
      return [];
    case 'heading':
      return [{ type: 'header', text: { type: 'plain_text', text: plainText(token.tokens) } }];
    case 'hr':
      return [{ type: 'divider' }];
    case 'table':
      return [tableOf(token)];
    default:
      return [richText(partsOf(token, 0)), ...tablesIn(token)];
  }
}

const richText = (elements: JsonObject[]): JsonObject => ({ type: 'rich_text', elements });

const sectionOf = (elements: JsonObject[]): JsonObject => ({
  type: 'rich_text_section',
  elements,
});

const paragraph = (text: string) => richText([sectionOf([{ type: 'text', text }])]);

/** Max indentation of lists in Slack. */
const deepestIndent = 8;

function partsOf(token: MarkedToken, indent: number): JsonObject[] {
  switch (token.type) {
    case 'code':
      return [{ type: 'rich_text_preformatted', elements: [text(token.text)], ...named(token) }];
    case 'blockquote':
      return [{ type: 'rich_text_quote', elements: quoted(token.tokens) }];
    case 'list':
      return listParts(token, Math.min(indent, deepestIndent));
    case 'space':
    case 'def':
    case 'table':
    case 'checkbox':
      return [];
    case 'paragraph':
    case 'heading':
    case 'text':
      return [sectionOf(textElements(token.tokens ?? [token]))];
    default:
      return [sectionOf([text(token.raw.trimEnd())])];
  }
}

const text = (value: string): JsonObject => ({ type: 'text', text: value || ' ' });

const named = ({ lang }: Tokens.Code) => (lang ? { language: lang } : {});

/**
 * Returns a quotation's text elements, with a line break between blocks. Slack's quotations can contain only text
 * elements.
 */
const quoted = (tokens: readonly Token[]): JsonObject[] =>
  asMarked(tokens)
    .filter(({ type }) => type !== 'space')
    .flatMap((token, index) => [
      ...(index > 0 ? [text('\n')] : []),
      ...('tokens' in token && token.tokens
        ? textElements(token.tokens)
        : [text(token.raw.trimEnd())]),
    ]);

/**
 * Splits a list into blocks. Items can contain only text, so the list ends before other content and continues after it.
 */
function listParts({ ordered, start, items }: Tokens.List, indent: number): JsonObject[] {
  const parts: JsonObject[] = [];
  let open: { elements: JsonObject[] } | undefined;
  for (const [index, { tokens }] of items.entries()) {
    const isBox = ({ type }: Token) => type === 'checkbox';
    const [first, ...others] = asMarked(tokens).filter((token) => !isBox(token));
    const written = (own: readonly Token[]) => textElements([...tokens.filter(isBox), ...own]);
    if (!open) {
      const offset = ordered ? Number(start || 1) - 1 + index : 0;
      open = { elements: [] };
      parts.push({
        type: 'rich_text_list',
        style: ordered ? 'ordered' : 'bullet',
        indent,
        ...(offset > 0 && { offset }),
        elements: open.elements,
      });
    }
    const isText = first?.type === 'text' || first?.type === 'paragraph';
    open.elements.push(sectionOf(isText ? written(first.tokens ?? [first]) : [text(' ')]));
    const inside = (isText || !first ? others : [first, ...others]).flatMap((each) =>
      partsOf(each, indent + 1),
    );
    if (inside.length > 0) open = undefined;
    parts.push(...inside);
  }
  return parts;
}

/** Returns the tables inside a list or quotation. Slack shows these tables after the list or quotation. */
function tablesIn(token: MarkedToken): JsonObject[] {
  if (token.type === 'table') return [tableOf(token)];
  if (token.type === 'list')
    return token.items.flatMap((item) => asMarked(item.tokens).flatMap(tablesIn));
  return token.type === 'blockquote' ? asMarked(token.tokens).flatMap(tablesIn) : [];
}

function tableOf({ header, rows, align }: Tokens.Table): JsonObject {
  const cell = ({ tokens }: Tokens.TableCell) => richText([sectionOf(textElements(tokens))]);
  return {
    type: 'table',
    rows: [header, ...rows].map((row) => row.map(cell)),
    column_settings: align.map((each) => ({ align: each ?? 'left' })),
  };
}

type Style = Readonly<Record<string, true>>;

/**
 * Returns the elements of a rich text section. The section gets a space if there are none, because it needs an element.
 */
function textElements(tokens: readonly Token[]): JsonObject[] {
  const elements = tokens.flatMap((token) => elementsOf(token as MarkedToken, {}));
  return elements.length > 0 ? elements : [{ type: 'text', text: ' ' }];
}

const plainText = (tokens: readonly Token[]): string =>
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
