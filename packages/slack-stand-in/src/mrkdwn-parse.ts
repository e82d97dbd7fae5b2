/**
 * A node of parsed mrkdwn. Nodes become DOM text and never HTML, so hostile text stays text. Rules:
 * https://docs.slack.dev/messaging/formatting-message-text
 */
export type Span =
  | { type: 'text'; text: string }
  | { type: 'bold' | 'italic' | 'strike'; children: Span[] }
  | { type: 'code'; text: string }
  | { type: 'emoji'; name: string }
  | { type: 'link'; url: string; label: string }
  | { type: 'person' | 'channel' | 'group'; id: string; label: string }
  | { type: 'broadcast'; range: string }
  | { type: 'date'; seconds: number; format: string; link: string; fallback: string };

export type Paragraph =
  | { type: 'lines'; spans: Span[] }
  | { type: 'quote'; spans: Span[] }
  | { type: 'code'; text: string };

/** Unescapes `<`, `>` and `&`, the only characters that Slack escapes. */
export function unescapeText(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}

export function parseMrkdwn(text: string): Paragraph[] {
  const parts = text.split('```');
  return parts.flatMap((part, index) => {
    // Treat a part with an odd index as code, because it follows a fence. Without a closing fence, the part is text.
    const isCode = index % 2 === 1 && index < parts.length - 1;
    if (isCode) return [{ type: 'code' as const, text: unescapeText(trimNewlines(part)) }];
    if (index % 2 === 1) return parseLines(`\`\`\`${part}`);
    // Remove the line breaks next to a code block, because they belong to the block.
    const after = index > 0 ? part.replace(/^\n/, '') : part;
    return parseLines(index < parts.length - 2 ? after.replace(/\n$/, '') : after);
  });
}

function trimNewlines(text: string): string {
  return text.replace(/^\n/, '').replace(/\n$/, '');
}

function parseLines(body: string): Paragraph[] {
  if (body === '') return [];
  const paragraphs: { type: 'lines' | 'quote'; lines: string[] }[] = [];
  for (const line of body.split('\n')) {
    const quoted = /^(?:&gt;|>) ?(.*)$/.exec(line);
    const type = quoted ? 'quote' : 'lines';
    const last = paragraphs.at(-1);
    const content = quoted ? (quoted[1] ?? '') : line;
    if (last?.type === type) last.lines.push(content);
    else paragraphs.push({ type, lines: [content] });
  }
  return paragraphs.map(({ type, lines }) => ({ type, spans: parseSpans(lines.join('\n')) }));
}

// Patterns of the word boundaries at which formatting marks open and close. As in Slack, `2*3*4` stays unchanged.
const border = { before: '(?<![\\p{L}\\p{N}])', after: '(?![\\p{L}\\p{N}])' };
const markPattern = (mark: string) =>
  `${border.before}${mark}(?! )((?:[^\\n${mark}\`<]|<[^<>\\n]*>|\`[^\`\\n]*\`)+)(?<! )${mark}${border.after}`;

type Construct = { pattern: string; read: (inner: string) => Span | undefined };

/** Patterns of inline formatting. If several match at the same position, the first one in this list is used. */
const constructs: Construct[] = [
  { pattern: '`([^`\\n]+)`', read: (inner) => ({ type: 'code', text: unescapeText(inner) }) },
  { pattern: '<([^<>\\n]*)>', read: parseAngle },
  // Require a word boundary before an emoji, so that times such as `12:30:45` contain none.
  {
    pattern: `${border.before}:([a-z0-9_+'-]+):`,
    read: (name) => ({ type: 'emoji', name }),
  },
  { pattern: markPattern('\\*'), read: (inner) => ({ type: 'bold', children: parseSpans(inner) }) },
  { pattern: markPattern('_'), read: (inner) => ({ type: 'italic', children: parseSpans(inner) }) },
  { pattern: markPattern('~'), read: (inner) => ({ type: 'strike', children: parseSpans(inner) }) },
];

/**
 * Parses inline mrkdwn. If several patterns match, the match that starts first is used. Each pattern checks each
 * position once, so long texts are parsed fast.
 */
export function parseSpans(text: string): Span[] {
  const searches = constructs.map(({ pattern, read }) => {
    const regex = new RegExp(pattern, 'gu');
    return { regex, read, match: regex.exec(text) };
  });
  const spans: Span[] = [];
  let at = 0;
  while (at < text.length) {
    for (const search of searches) {
      if (search.match && search.match.index < at) {
        search.regex.lastIndex = at;
        search.match = search.regex.exec(text);
      }
    }
    const next = searches.reduce<(typeof searches)[number] | undefined>((first, each) => {
      if (!each.match) return first;
      return !first?.match || each.match.index < first.match.index ? each : first;
    }, undefined);
    const end = next?.match?.index ?? text.length;
    if (end > at) spans.push({ type: 'text', text: unescapeText(text.slice(at, end)) });
    if (!next?.match) break;
    const [whole, inner = ''] = next.match;
    spans.push(next.read(inner) ?? { type: 'text', text: unescapeText(whole) });
    at = end + whole.length;
  }
  return spans;
}

const dateToken = /^!date\^(\d+)\^([^^|]+)(?:\^([^|]*))?\|([\s\S]*)$/;

/** Parses the text between `<` and `>`. Returns undefined if Slack shows that text unchanged. */
function parseAngle(inner: string): Span | undefined {
  const date = dateToken.exec(inner);
  if (date) {
    const [, seconds = '0', format = '', link = '', fallback = ''] = date;
    return {
      type: 'date',
      seconds: Number(seconds),
      format: unescapeText(format),
      link: unescapeText(link),
      fallback: unescapeText(fallback),
    };
  }
  const [target = '', ...labels] = inner.split('|');
  const label = unescapeText(labels.join('|'));
  if (target.startsWith('@')) return { type: 'person', id: target.slice(1), label };
  if (target.startsWith('#')) return { type: 'channel', id: target.slice(1), label };
  if (target.startsWith('!subteam^')) return { type: 'group', id: target.slice(9), label };
  if (target.startsWith('!')) return { type: 'broadcast', range: target.slice(1) };
  if (/^(https?:\/\/|mailto:)/i.test(target))
    return { type: 'link', url: unescapeText(target), label };
  return undefined;
}
