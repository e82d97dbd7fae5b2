import { firstLine } from './escape-text.ts';

/** Max characters to read, because an answer can be long. */
const readLimit = 10_000;

/** Matches lines without words, such as rules, table heads and fences. */
const wordless = /^[\s|:>*_=+`~-]*$/;

/**
 * Returns the first line of Markdown that has words, without markup and addresses. Notifications show text as it is.
 */
export function plainLine(markdown: string): string {
  const lines = markdown.slice(0, readLimit).split('\n');
  const plain = lines.filter((line) => !/^\s*(?:`{3,}|~{3,})/.test(line)).map(withoutMarkup);
  return plain.find((line) => !wordless.test(line)) ?? '';
}

const withoutMarkup = (line: string): string =>
  firstLine(line)
    .replace(/^(?:>\s*)+/, '')
    .replace(/^(?:#{1,6}\s+|[-*+]\s+(?:\[[ xX]\]\s+)?|\d{1,9}[.)]\s+)/, '')
    .replace(/!?\[([^[\]]*)\]\([^()\s]*(?:\s[^()]*)?\)/g, '$1')
    .replace(/\s*\(\s*<?https?:\/\/[^\s)>]*>?\s*\)/g, '')
    .replace(/<?https?:\/\/([^\s/>)?#]+)[^\s>)]*>?/g, '$1')
    .replace(/(\*\*|__|~~)(?=\S)(.+?)(?<=\S)\1/g, '$2')
    .replace(/(?<![\w*])\*(?=\S)([^*]+?)(?<=\S)\*(?![\w*])/g, '$1')
    .replace(/(?<![\w_])_(?=\S)([^_]+?)(?<=\S)_(?![\w_])/g, '$1')
    .replace(/`+([^`]+)`+/g, '$1')
    .trim();
